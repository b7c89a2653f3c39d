#include "recipes/candidacy.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "recipes/proclamation.hpp"

namespace zklock::recipes::of_candidacy {
namespace {

using std::chrono::seconds;
using command = candidacy::command;
using answer = candidacy::answer;
using state = candidacy::state;

candidacy leading() {
  candidacy one(seconds(10));
  EXPECT_EQ(one.begin(seconds(100)), command::stand);
  EXPECT_EQ(one.answered(answer::granted, seconds(101)), command::work);
  EXPECT_EQ(one.now(), state::leading);
  return one;
}

TEST(candidacy, f130_gives_back_behind_its_work_alone_and_stands_again_behind_that) {
  candidacy one = leading();
  EXPECT_EQ(one.returned(false), command::release);
  EXPECT_EQ(one.released(seconds(120)), command::stand) << "the interval is over";
  EXPECT_EQ(one.now(), state::standing);
}

TEST(candidacy, f130_waits_for_its_work_behind_a_loss_and_stands_again_without_a_rest) {
  candidacy one = leading();
  one.lost();
  EXPECT_EQ(one.now(), state::ending);
  EXPECT_EQ(one.timer(seconds(102)), command::none);
  EXPECT_EQ(one.returned(false), command::release);
  EXPECT_EQ(one.released(seconds(102)), command::stand);
}

TEST(candidacy, rests_from_one_stand_to_the_next) {
  candidacy one = leading();
  one.returned(false);
  EXPECT_EQ(one.released(seconds(102)), command::pause);
  EXPECT_EQ(one.due(), seconds(110));
  EXPECT_EQ(one.timer(seconds(109)), command::pause);
  EXPECT_EQ(one.timer(seconds(110)), command::stand);
  EXPECT_EQ(one.answered(answer::later, seconds(111)), command::pause);
  EXPECT_EQ(one.timer(seconds(120)), command::stand);
}

TEST(candidacy, f131_ends_behind_a_work_that_has_thrown_when_it_has_given_back) {
  candidacy one = leading();
  EXPECT_EQ(one.returned(true), command::release);
  EXPECT_EQ(one.released(seconds(200)), command::end);
  EXPECT_EQ(one.why(), candidacy::end::failed);
}

TEST(candidacy, ends_at_once_while_it_pauses_and_when_it_is_refused_for_good) {
  candidacy one = leading();
  one.returned(false);
  one.released(seconds(102));
  EXPECT_EQ(one.stop(), command::end);
  EXPECT_EQ(one.why(), candidacy::end::stopped);
  candidacy other(seconds(10));
  other.begin(seconds(100));
  EXPECT_EQ(other.answered(answer::refused, seconds(101)), command::end);
  EXPECT_EQ(other.why(), candidacy::end::refused);
}

TEST(candidacy, f130_ends_behind_what_is_under_way_when_it_is_stopped) {
  candidacy one = leading();
  EXPECT_EQ(one.stop(), command::none);
  EXPECT_EQ(one.now(), state::ending);
  EXPECT_EQ(one.stop(), command::none) << "twice";
  EXPECT_EQ(one.returned(false), command::release);
  EXPECT_EQ(one.released(seconds(200)), command::end);
  EXPECT_EQ(one.why(), candidacy::end::stopped);

  candidacy standing(seconds(10));
  standing.begin(seconds(100));
  EXPECT_EQ(standing.stop(), command::none);
  candidacy granted = standing;
  EXPECT_EQ(standing.answered(answer::later, seconds(101)), command::end);
  EXPECT_EQ(granted.answered(answer::granted, seconds(101)), command::release) << "its work never begins";
  EXPECT_EQ(granted.released(seconds(101)), command::end);
}

TEST(candidacy, f209_remembers_a_stop_that_comes_before_it_begins) {
  candidacy one(seconds(10));
  EXPECT_EQ(one.stop(), command::end);
  EXPECT_EQ(one.begin(seconds(100)), command::end);
  EXPECT_EQ(one.why(), candidacy::end::stopped);
}

TEST(candidacy, rests_behind_a_failure_also_without_an_interval) {
  candidacy one(seconds(0));
  one.begin(seconds(100));
  EXPECT_EQ(one.answered(answer::later, seconds(100)), command::pause);
  EXPECT_GT(one.due(), seconds(100));
}

TEST(candidacy, ends_where_its_node_cannot_be_removed) {
  candidacy one = leading();
  one.returned(false);
  EXPECT_EQ(one.released(seconds(200), true), command::end);
  EXPECT_EQ(one.why(), candidacy::end::refused);
}

// ---- what a leader says

using said = proclamation::state;

TEST(proclamation, sends_the_latest_of_those_that_come_while_one_is_under_way) {
  proclamation one;
  EXPECT_EQ(one.say("a"), 1U);
  EXPECT_TRUE(one.send());
  EXPECT_EQ(one.say("b"), 2U);
  EXPECT_EQ(one.say("c"), 3U);
  EXPECT_FALSE(one.send()) << "one at a time";
  one.answered(code::ok);
  EXPECT_EQ(one.answered_up_to(), 1U);
  EXPECT_TRUE(one.send());
  EXPECT_EQ(one.data(), "c");
  one.answered(code::ok);
  EXPECT_EQ(one.answered_up_to(), 3U);
  EXPECT_EQ(one.now(), said::resting);
}

TEST(proclamation, f137_is_repeated_without_an_answer_and_never_behind_a_later_one) {
  proclamation one;
  one.say("a");
  EXPECT_TRUE(one.send());
  one.say("b");
  one.disconnected();
  EXPECT_TRUE(one.send());
  EXPECT_EQ(one.data(), "b");
  one.answered(code::connection_loss);
  EXPECT_TRUE(one.is_failing());
  EXPECT_EQ(one.answered_up_to(), 0U);
  EXPECT_TRUE(one.send());
  one.answered(code::ok);
  EXPECT_EQ(one.answered_up_to(), 2U);
}

TEST(proclamation, f137_is_over_with_its_node) {
  proclamation one;
  one.say("a");
  EXPECT_TRUE(one.send());
  one.answered(code::no_node);
  EXPECT_EQ(one.now(), said::over);
  EXPECT_EQ(one.answered_up_to(), 1U);
  EXPECT_FALSE(one.send());
}

TEST(proclamation, that_is_refused_is_answered_and_the_next_one_is_sent) {
  proclamation one;
  one.say("a");
  EXPECT_TRUE(one.send());
  one.answered(code::no_auth);
  EXPECT_EQ(one.answered_up_to(), 1U);
  EXPECT_EQ(one.now(), said::resting);
  one.say("b");
  EXPECT_TRUE(one.send());
}

}  // namespace
}  // namespace zklock::recipes::of_candidacy
