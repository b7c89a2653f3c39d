#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/recipes/one_session.hpp"

/// Contenders of one session behind each other: no list, no watch, and the answer to a removal is the next one's turn.
namespace zklock::recipes::words {
namespace {

/// A holder with number 4, and one with number 5 right behind it.
class own_session : public testing::Test {
 protected:
  void begin(const acquire_spec& first_wants = {}, const acquire_spec& second_wants = {}) {
    first = session.holder(4, first_wants);
    second = session.follower(5, second_wants);
    ASSERT_TRUE(session.is_granted(first));
    ASSERT_TRUE(session.machine(second).waits_behind(session.name_of(first)));
  }
  std::string tell_all(one_session::place one, std::string_view several) {
    std::string last;
    for (const std::string& word : split(several)) {
      last = session.tell(one, word);
    }
    return last;
  }

  one_session session;
  one_session::place first = 0;
  one_session::place second = 0;
};

// ---- entering

TEST_F(own_session, a_contender_behind_a_holder_creates_its_node_and_asks_for_nothing_else) {
  first = session.holder(4);
  second = session.add();
  EXPECT_EQ(session.tell(second, "connected"), "create_own");
  EXPECT_EQ(session.created(second, 5), "watch_own_later");
  EXPECT_TRUE(session.machine(second).is_waiting());
  EXPECT_EQ(session.machine(second).predecessor(), session.name_of(first));
  EXPECT_TRUE(session.machine(second).queue_seen());
}

TEST_F(own_session, a_contender_behind_one_that_still_enters_needs_no_list_either) {
  first = session.add();
  second = session.add();
  EXPECT_EQ(session.tell(first, "connected"), "create_own list");
  EXPECT_EQ(session.tell(second, "connected"), "create_own");
  session.created(first, 4);
  session.listed(first, {session.name_of(first)});
  EXPECT_EQ(session.created(second, 5), "watch_own_later") << "the answers come in the order of the requests";
  EXPECT_TRUE(session.machine(second).waits_behind(session.name_of(first)));
}

TEST_F(own_session, a_contender_whose_number_does_not_follow_lists) {
  first = session.holder(4);
  second = session.add();
  EXPECT_EQ(session.enter(second, 6), "list");
  EXPECT_EQ(session.listed(second, {session.name_of(first), stranger(5), session.name_of(second)}),
            "watch_predecessor watch_own_later");
}

TEST_F(own_session, a_list_that_shows_one_of_the_session_before_it_sets_no_watch) {
  first = session.holder(4);
  second = session.add();
  session.enter(second, 6);
  EXPECT_EQ(session.listed(second, {session.name_of(first), session.name_of(second)}), "watch_own_later");
  EXPECT_EQ(session.tell(first, "release"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), session.name_of(second));
  EXPECT_EQ(session.tell(first, "removed:ok"), "pass_on finish");
  EXPECT_TRUE(session.is_granted(second));
}

TEST_F(own_session, a_row_is_not_used_across_a_create_that_failed) {
  first = session.holder(4);
  second = session.add();
  EXPECT_EQ(session.tell(second, "connected"), "create_own");
  EXPECT_EQ(session.tell(second, "created:no_node"), "make_lock_node create_own list") << "the lock node has gone";
  session.tell(second, "lock_node_made:ok");
  EXPECT_EQ(session.created(second, 5), "nothing") << "the number is of another lock node";
  EXPECT_EQ(session.listed(second, {session.name_of(second)}), "grant");
}

TEST_F(own_session, a_row_is_not_used_after_a_create_of_unknown_outcome) {
  first = session.holder(4);
  second = session.add();
  EXPECT_EQ(tell_all(second, "connected created:loss"), "nothing");
  EXPECT_EQ(session.machine(second).life(), node_life::state::unsettled);
  EXPECT_EQ(session.tell(second, "connected"), "sync share_list");
  session.tell(second, "synced:ok");
  EXPECT_EQ(session.listed(second, {session.name_of(first)}), "create_own list");
  EXPECT_EQ(session.created(second, 5), "nothing");
  EXPECT_EQ(session.listed(second, {session.name_of(first), session.name_of(second)}), "watch_own_later");
}

TEST_F(own_session, one_try_lists_and_does_not_wait) {
  first = session.holder(4);
  for (const acquire_spec& wanted : {acquire_spec{}, to_read, to_write}) {
    one_session other;
    first = other.holder(4, wanted.kind == contender_kind::mutex ? wanted : to_write);
    second = other.add(wanted, true);
    EXPECT_EQ(other.tell(second, "connected"), "create_own list");
    EXPECT_EQ(other.created(second, 5), "nothing");
    EXPECT_EQ(other.listed(second, {other.name_of(first), other.name_of(second)}), "refuse remove_own");
    EXPECT_EQ(other.machine(second).why_refused(), refusal::not_in_time);
  }
}

TEST_F(own_session, a_stop_before_the_create_is_answered_removes_the_node) {
  first = session.holder(4);
  second = session.add();
  EXPECT_EQ(tell_all(second, "connected stop"), "refuse");
  EXPECT_EQ(session.created(second, 5), "remove_own");
  EXPECT_EQ(session.tell(first, "release"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), "");
}

// ---- the turn is passed on

TEST_F(own_session, the_answer_to_a_removal_passes_the_turn_on) {
  begin();
  EXPECT_EQ(session.tell(first, "release"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), session.name_of(second)) << "checked in the same transaction";
  EXPECT_EQ(session.heard(second), "");
  EXPECT_EQ(session.tell(first, "removed:ok"), "pass_on finish");
  EXPECT_EQ(session.heard(second), "grant");
  EXPECT_EQ(session.machine(second).token(), fencing_token{5});
}

TEST_F(own_session, three_in_a_row_pass_the_turn_on_one_by_one) {
  begin();
  const auto third = session.follower(6);
  tell_all(first, "release removed:ok");
  EXPECT_TRUE(session.is_granted(second));
  EXPECT_EQ(session.heard(third), "") << "it waits for the second";
  EXPECT_EQ(tell_all(second, "release removed:ok"), "pass_on finish");
  EXPECT_TRUE(session.is_granted(third));
}

TEST_F(own_session, a_removal_that_found_no_node_passes_nothing_on) {
  begin();
  EXPECT_EQ(tell_all(first, "release removed:no_node"), "finish");
  EXPECT_EQ(session.heard(second), "list") << "whatever took that node may have taken the own one";
  EXPECT_EQ(session.listed(second, {session.name_of(second)}), "grant");
}

TEST_F(own_session, a_removal_that_is_forbidden_passes_nothing_on) {
  begin();
  EXPECT_EQ(tell_all(first, "release removed:no_auth"), "finish");
  EXPECT_EQ(session.heard(second), "list");
  EXPECT_EQ(session.listed(second, {session.name_of(first), session.name_of(second)}), "watch_predecessor watch_own")
      << "that node stands until the session ends";
}

TEST_F(own_session, f34_a_removal_of_unknown_outcome_is_repeated_with_the_check_and_passes) {
  begin();
  EXPECT_EQ(tell_all(first, "release removed:loss"), "nothing");
  EXPECT_EQ(session.heard(second), "") << "not without an answer";
  EXPECT_EQ(session.tell(first, "connected"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), session.name_of(second));
  EXPECT_EQ(session.tell(first, "removed:ok"), "pass_on finish");
  EXPECT_EQ(session.heard(second), "grant");
}

TEST_F(own_session, f34_a_removal_that_was_done_without_an_answer_makes_the_next_list) {
  begin();
  tell_all(first, "release removed:loss connected removed:no_node");
  EXPECT_EQ(session.heard(second), "list");
}

TEST_F(own_session, a_refused_check_passes_nothing_on_and_the_removal_is_sent_alone) {
  begin();
  EXPECT_EQ(tell_all(first, "release removed:no_successor"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), "") << "alone";
  EXPECT_EQ(session.tell(first, "removed:ok"), "finish");
  EXPECT_EQ(session.heard(second), "list");
  EXPECT_EQ(session.listed(second, {stranger(6)}), "start_over finish");
}

TEST_F(own_session, a_removal_alone_whose_outcome_is_unknown_is_checked_again) {
  begin();
  EXPECT_EQ(tell_all(first, "release removed:no_successor removed:loss connected"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), session.name_of(second)) << "its answer says what stands now";
}

TEST_F(own_session, one_that_came_while_the_removal_was_under_way_lists) {
  first = session.holder(4);
  session.tell(first, "release");
  second = session.add();
  EXPECT_EQ(session.enter(second, 5), "nothing") << "its list is under way";
  EXPECT_EQ(session.tell(first, "removed:ok"), "finish");
}

TEST_F(own_session, a_create_that_is_answered_after_the_release_makes_its_contender_list) {
  first = session.holder(4);
  second = session.add();
  EXPECT_EQ(session.tell(second, "connected"), "create_own");
  EXPECT_EQ(session.tell(first, "release"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), "");
  EXPECT_EQ(session.created(second, 5), "list") << "the removal was sent without a check of it";
}

TEST_F(own_session, a_grant_that_is_given_up_passes_the_turn_on_like_a_release) {
  begin();
  EXPECT_EQ(session.tell(first, "stop"), "refuse remove_own");
  EXPECT_EQ(session.tell(first, "removed:ok"), "pass_on finish");
  EXPECT_TRUE(session.is_granted(second));
}

TEST_F(own_session, one_that_is_stopped_before_it_is_told_does_not_pass) {
  begin();
  session.tell(first, "release");
  EXPECT_EQ(session.tell(second, "stop"), "refuse remove_own");
  EXPECT_EQ(session.tell(first, "removed:ok"), "pass_on finish");
  EXPECT_EQ(session.heard(second), "nothing");
  EXPECT_EQ(session.tell(second, "removed:ok"), "finish");
}

// ---- the predecessor leaves in another way

TEST_F(own_session, a_cancelled_predecessor_makes_its_successor_list) {
  begin();
  const auto third = session.follower(6);
  EXPECT_EQ(session.tell(second, "stop"), "refuse remove_own");
  EXPECT_EQ(session.machine(second).successor(), "") << "it did not hold";
  EXPECT_EQ(session.heard(third), "") << "its node stands yet";
  EXPECT_EQ(session.tell(second, "removed:ok"), "finish");
  EXPECT_EQ(session.heard(third), "list");
  EXPECT_EQ(session.listed(third, {session.name_of(first), session.name_of(third)}), "watch_own_later");
  EXPECT_EQ(session.tell(first, "release"), "remove_own");
  EXPECT_EQ(session.machine(first).successor(), session.name_of(third));
}

TEST_F(own_session, a_holder_that_has_lost_makes_its_successor_list) {
  begin();
  EXPECT_EQ(tell_all(first, "look_after_own own_watched:no_node"), "lose finish");
  EXPECT_EQ(session.heard(second), "list");
}

TEST_F(own_session, a_predecessor_that_is_void_makes_its_successor_list) {
  begin();
  const auto third = session.follower(6);
  EXPECT_EQ(tell_all(second, "look_after_own own_watched:no_node"), "start_over finish");
  EXPECT_EQ(session.heard(third), "list");
}

TEST_F(own_session, the_end_of_the_session_ends_all_of_them) {
  begin();
  EXPECT_EQ(session.tell(first, "session_over"), "lose finish");
  EXPECT_EQ(session.tell(second, "session_over"), "start_over finish");
  EXPECT_TRUE(session.queue().empty());
}

TEST_F(own_session, a_session_event_costs_a_waiter_behind_its_own_session_nothing) {
  begin();
  EXPECT_EQ(tell_all(second, "disconnected connected"), "nothing");
  EXPECT_EQ(tell_all(first, "disconnected connected release removed:ok"), "pass_on finish");
  EXPECT_TRUE(session.is_granted(second)) << "the answer is the word: the session lived";
}

// ---- with the own node gone from the servers, unknown to its contender

TEST_F(own_session, f12_one_whose_node_was_removed_keeps_no_other_from_its_turn) {
  begin();
  const auto third = session.add();
  session.enter(third, 7);
  EXPECT_EQ(session.listed(third, {session.name_of(first), session.name_of(third)}), "watch_own_later")
      << "an operator has removed the second one's node";
  EXPECT_EQ(tell_all(first, "release removed:no_successor removed:ok"), "finish");
  EXPECT_EQ(session.heard(second), "list");
  EXPECT_EQ(session.listed(second, {session.name_of(third)}), "start_over finish");
  EXPECT_EQ(session.heard(third), "share_list") << "it waits for the first, which has left";
}

TEST_F(own_session, f34_one_that_leaves_without_an_answer_keeps_no_other_from_its_turn) {
  begin();
  EXPECT_EQ(tell_all(second, "stop removed:loss"), "nothing");
  const auto third = session.add();
  session.enter(third, 7);
  EXPECT_EQ(session.listed(third, {session.name_of(first), session.name_of(third)}), "watch_own_later")
      << "the removal was done";
  tell_all(first, "release removed:ok");
  EXPECT_TRUE(session.is_granted(third)) << "nothing else stands behind the first";
  EXPECT_EQ(tell_all(second, "connected removed:no_node"), "finish");
}

TEST_F(own_session, a_downgrade_reaches_readers_behind_one_whose_node_was_removed) {
  begin(to_write, to_write);
  const auto reader = session.add(to_read);
  session.enter(reader, 7);
  EXPECT_EQ(session.listed(reader, {session.name_of(first), session.name_of(reader)}), "watch_own_later");
  EXPECT_EQ(tell_all(first, "downgrade marked:ok"), "tell_of_mark");
  EXPECT_EQ(session.heard(reader), "list");
}

}  // namespace
}  // namespace zklock::recipes::words
