// The judge finds what must not be, and nothing else.
#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/soak/judge.hpp"

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;

constexpr auto lock = "/locks/a";

instant at(std::chrono::milliseconds time) { return instant(1h + time); }

class the_judge : public ::testing::Test {
 protected:
  void told(const std::string& worker, std::initializer_list<event> events) {
    for (const event& one : events) judge_.hear(worker, to_line(one));
  }
  /// One that is granted, holds from `from` to `to`, and is given back.
  void held(const std::string& worker, attempt_number number, std::int64_t token, std::chrono::milliseconds from,
            std::chrono::milliseconds to) {
    told(worker, {attempt_began{number, lock, "acquire", at(from)}, attempt_ended{number, "granted", at(from)},
                  held_first{number, token, node_of(token), at(from), at(from)}, held_still{number, at(to)},
                  released{number, "unlocked", at(to)}});
  }
  /// The same, with a write on top of `base`.
  void wrote(const std::string& worker, attempt_number number, std::int64_t token, std::int64_t base,
             bool accepted = true) {
    told(worker,
         {attempt_began{number, lock, "acquire", at(0s)}, attempt_ended{number, "granted", at(0s)},
          write_begun{number, token, base}, write_ended{number, accepted}, released{number, "unlocked", at(0s)}});
  }
  /// An operator ends that hold.
  void forced(std::int64_t token, std::chrono::milliseconds when) {
    judge_.forced_end(lock, node_of(token), at(when), at(when + told_within));
  }
  static constexpr auto told_within = 5s;
  static std::string node_of(std::int64_t token) { return std::string(lock) + "/n-" + std::to_string(token); }

  std::vector<std::string> findings(std::int64_t store = 0) {
    judge_.round_over([store](const std::string&) { return store; });
    std::vector<std::string> checks;
    for (const finding& one : judge_.found()) checks.push_back(one.check);
    return checks;
  }
  using list = std::vector<std::string>;

  judge judge_;
};

TEST_F(the_judge, is_content_with_holds_one_after_the_other) {
  held("w1", 1, 10, 0ms, 100ms);
  held("w2", 1, 11, 100ms, 200ms);
  held("w1", 2, 12, 250ms, 251ms);
  EXPECT_EQ(findings(), list{});
  EXPECT_EQ(judge_.counted().grants, 3U);
}

TEST_F(the_judge, finds_two_holders_at_once) {
  held("w1", 1, 10, 0ms, 100ms);
  held("w2", 1, 11, 99ms, 200ms);
  EXPECT_EQ(findings(), list{"one-holder"});
}

TEST_F(the_judge, finds_a_hold_that_goes_on_beyond_the_next_but_one) {
  held("w1", 1, 10, 0ms, 500ms);
  held("w2", 1, 11, 100ms, 110ms);
  held("w3", 1, 12, 400ms, 450ms);
  EXPECT_EQ(findings(), (list{"one-holder", "one-holder"}));
}

TEST_F(the_judge, excuses_exactly_what_comes_after_a_forced_end) {
  held("w1", 1, 10, 0ms, 500ms);
  held("w2", 1, 11, 100ms, 200ms);
  forced(10, 90ms);
  EXPECT_EQ(findings(), list{});
  EXPECT_EQ(judge_.excused(), 1U);
}

TEST_F(the_judge, does_not_excuse_what_came_before_the_forced_end_nor_others) {
  held("w1", 1, 10, 0ms, 500ms);
  held("w2", 1, 11, 100ms, 200ms);
  forced(10, 120ms);
  EXPECT_EQ(findings(), list{"one-holder"});
  held("w1", 2, 12, 1000ms, 1500ms);
  held("w2", 2, 13, 1100ms, 1200ms);
  forced(13, 1050ms);
  held("w3", 1, 14, 2000ms, 2500ms);
  held("w4", 1, 15, 2400ms, 2500ms);
  EXPECT_EQ(findings(), (list{"one-holder", "one-holder"}));
}

TEST_F(the_judge, finds_a_hold_that_was_ended_by_force_and_never_told_so) {
  held("w1", 1, 10, 0ms, 90ms + told_within);
  forced(10, 90ms);
  EXPECT_EQ(findings(), list{});
  held("w1", 2, 11, 100s, 100s + 90ms + told_within + 1ms);
  forced(11, 100s + 90ms);
  EXPECT_EQ(findings(), list{"loss-told"});
}

TEST_F(the_judge, dates_a_hold_by_its_question_not_by_when_the_answer_could_be_written_down) {
  told("w1", {attempt_began{1, lock, "acquire", at(0s)}, attempt_ended{1, "granted", at(0s)},
              held_first{1, 10, node_of(10), at(1ms), at(90ms + 2 * told_within)}});
  forced(10, 90ms);
  EXPECT_EQ(findings(), list{});
}

TEST_F(the_judge, excuses_a_grant_that_had_come_before_its_forced_end_and_finds_one_long_after) {
  held("w2", 1, 11, 50ms, 60ms);
  held("w1", 1, 10, 100ms, 100ms);
  forced(10, 40ms);
  EXPECT_EQ(findings(), list{});
  held("w3", 1, 13, 100s, 101s);
  held("w4", 1, 12, 200s, 200s);
  forced(12, 99s);
  EXPECT_EQ(findings(), list{"loss-told"});
}

TEST_F(the_judge, minds_the_token_of_a_hold_that_was_ended_by_force_after_it_had_begun) {
  held("w1", 1, 10, 0ms, 50ms);
  held("w2", 1, 9, 100ms, 200ms);
  forced(9, 150ms);
  EXPECT_EQ(findings(), list{"tokens-rise"});
}

TEST_F(the_judge, finds_a_token_that_does_not_rise) {
  held("w1", 1, 10, 0ms, 100ms);
  held("w2", 1, 10, 100ms, 200ms);
  EXPECT_EQ(findings(), list{"tokens-rise"});
}

TEST_F(the_judge, remembers_the_last_token_of_the_round_before) {
  held("w1", 1, 10, 0ms, 100ms);
  EXPECT_EQ(findings(), list{});
  held("w2", 1, 9, 100ms, 200ms);
  EXPECT_EQ(findings(), list{"tokens-rise"});
}

TEST_F(the_judge, is_content_with_a_store_that_counts_every_accepted_write) {
  wrote("w1", 1, 10, 0);
  wrote("w2", 1, 11, 1);
  wrote("w1", 2, 9, 0, false);
  EXPECT_EQ(findings(2), list{});
  EXPECT_EQ(judge_.counted().refused, 1U);
}

TEST_F(the_judge, finds_a_lost_update) {
  wrote("w1", 1, 10, 0);
  wrote("w2", 1, 11, 0);
  EXPECT_EQ(findings(1), list{"store-exact"});
}

TEST_F(the_judge, finds_a_write_that_left_no_trace_and_a_trace_of_no_write) {
  wrote("w1", 1, 10, 0);
  EXPECT_EQ(findings(0), list{"store-exact"});
  EXPECT_EQ(findings(1), (list{"store-exact", "store-exact"}));
}

TEST_F(the_judge, finds_an_accepted_write_with_a_smaller_token) {
  wrote("w1", 1, 10, 0);
  wrote("w2", 1, 9, 1);
  EXPECT_EQ(findings(2), list{"store-exact"});
}

TEST_F(the_judge, takes_the_last_write_of_a_killed_process_for_done_or_not_as_the_store_says) {
  for (const std::int64_t value : {0, 1}) {
    judge afresh;
    std::swap(judge_, afresh);
    told("w1", {attempt_began{1, lock, "acquire", at(0s)}, attempt_ended{1, "granted", at(0s)}, write_begun{1, 10, 0}});
    judge_.killed("w1");
    EXPECT_EQ(findings(value), list{});
    EXPECT_EQ(judge_.counted().cut_short, 1U);
  }
}

TEST_F(the_judge, finds_a_wait_that_overran_its_limit_unless_the_process_stood_still) {
  told("w1", {attempt_began{1, lock, "try-for", at(0s), 1s}, attempt_ended{1, "not-in-time", at(9s), 8s, 7500ms}});
  EXPECT_EQ(findings(), list{});
  EXPECT_EQ(judge_.counted().longest_overrun, 500ms);
  told("w1", {attempt_began{2, lock, "try-for", at(0s), 1s}, attempt_ended{2, "not-in-time", at(9s), 8s, 6500ms}});
  EXPECT_EQ(findings(), list{"wait-ends"});
}

TEST_F(the_judge, finds_attempts_without_an_end_and_grants_that_were_not_given_back) {
  told("w1", {attempt_began{1, lock, "acquire", at(0s)}, attempt_began{2, lock, "acquire", at(0s)},
              attempt_ended{2, "granted", at(0s)}, at_rest{at(1s)}});
  EXPECT_TRUE(judge_.rests("w1"));
  EXPECT_EQ(findings(), (list{"one-outcome", "one-outcome"}));
}

TEST_F(the_judge, finds_a_second_outcome_and_one_that_does_not_fit) {
  told("w1", {attempt_began{1, lock, "acquire", at(0s)}, attempt_ended{1, "abandoned", at(0s)},
              attempt_ended{1, "granted", at(0s)}});
  EXPECT_EQ(findings(), (list{"one-outcome", "one-outcome"}));
}

TEST_F(the_judge, finds_a_hold_without_a_grant_and_one_that_begins_twice) {
  told("w1", {attempt_began{1, lock, "acquire", at(0s)}, held_first{1, 10, node_of(10), at(0s), at(0s)}});
  EXPECT_EQ(findings(), list{"one-outcome"});
  told("w2", {attempt_began{1, lock, "acquire", at(0s)}, attempt_ended{1, "granted", at(0s)},
              held_first{1, 11, node_of(11), at(1s), at(1s)}, held_first{1, 11, node_of(11), at(2s), at(2s)}});
  EXPECT_EQ(findings(), (list{"one-outcome", "one-outcome"}));
}

TEST_F(the_judge, knows_what_each_way_to_acquire_may_end_in) {
  attempt_number number = 0;
  const auto fits = [&](const char* style, const char* outcome) {
    judge afresh;
    std::swap(judge_, afresh);
    ++number;
    told("w1", {attempt_began{number, lock, style, at(0s)}, attempt_ended{number, outcome, at(0s)}});
    return findings().empty();
  };
  for (const char* style : {"acquire", "lock", "stopped"}) {
    EXPECT_FALSE(fits(style, "not-in-time")) << style;
    EXPECT_FALSE(fits(style, "not-connected")) << style;
  }
  for (const char* style : {"try", "try-for", "try-until", "try-lock-for"}) {
    EXPECT_TRUE(fits(style, "not-in-time")) << style;
    EXPECT_TRUE(fits(style, "not-connected")) << style;
    EXPECT_FALSE(fits(style, "abandoned")) << style;
  }
  for (const char* style : {"acquire", "try", "stopped"}) {
    EXPECT_TRUE(fits(style, "number-given-twice")) << style;
  }
  EXPECT_TRUE(fits("stopped", "abandoned"));
  EXPECT_FALSE(fits("acquire", "abandoned"));
}

TEST_F(the_judge, finds_that_sound_numbers_are_refused_when_many_attempts_end_so) {
  const auto refused = [this](attempt_number number) {
    told("w1", {attempt_began{number, lock, "acquire", at(0s)}, attempt_ended{number, "number-given-twice", at(0s)}});
  };
  for (attempt_number number = 1; number <= 5; ++number) refused(number);
  EXPECT_EQ(findings(), list{});
  refused(6);
  EXPECT_EQ(findings().size(), 1U);
}

TEST_F(the_judge, lets_an_attempt_end_with_its_session_only_when_the_program_closes_that_one) {
  const auto began = [](attempt_number number, session_number session) {
    return attempt_began{number, lock, "acquire", at(0s), -1ns, session};
  };
  const auto ended = [](attempt_number number) { return attempt_ended{number, "session-closed", at(0s)}; };
  told("w1", {began(1, 1), began(2, 1), began(3, 2), session_closing{1}, ended(1), ended(2), began(4, 1), ended(4)});
  EXPECT_EQ(findings(), list{});
  told("w1", {ended(3)});
  EXPECT_EQ(findings(), list{"one-outcome"});
  told("w2", {began(1, 1), ended(1)});
  EXPECT_EQ(findings(), (list{"one-outcome", "one-outcome"}));
}

TEST_F(the_judge, does_not_take_a_killed_process_for_one_at_rest) {
  told("w1", {at_rest{at(0s)}});
  EXPECT_TRUE(judge_.rests("w1"));
  judge_.killed("w1");
  EXPECT_FALSE(judge_.rests("w1"));
}

TEST_F(the_judge, passes_on_what_a_worker_reports) {
  told("w1", {wrong{7, "held again after it was lost"}});
  ASSERT_EQ(findings(), list{"worker-says"});
  EXPECT_NE(judge_.found().front().what.find("held again after it was lost"), std::string::npos);
  judge_.hear("w1", "nonsense 1 2 3");
  EXPECT_EQ(findings(), (list{"worker-says", "worker-says"}));
}

}  // namespace
}  // namespace zklock::soak
