#include <gtest/gtest.h>

#include "tests/unit/recipes/told_contender.hpp"

/// A contender behind others: what it watches, and what each event on that means.
namespace zklock::recipes::words {
namespace {

TEST(contender, a_waiter_watches_only_its_nearest_predecessor_and_its_own_node) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:ok listed:behind_two"), "watch_predecessor watch_own_later");
  EXPECT_EQ(contender.machine().predecessor(), nearest_name);
  EXPECT_EQ(contender.tell("predecessor_watched:ok"), "nothing");
  EXPECT_EQ(contender.state(), "waiting") << "the event is no grant: the own node can wait";
  EXPECT_EQ(contender.tell("look_after_own"), "watch_own");
}

TEST(contender, f104_a_waiter_whose_turn_an_event_may_be_watches_its_own_node_at_once) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:ok listed:behind_one"), "watch_predecessor watch_own");
  EXPECT_EQ(contender.tell("predecessor_watched:ok"), "nothing");
  EXPECT_EQ(contender.state(), "watching") << "not before the own watch stands";
  EXPECT_EQ(after(to_waiting_behind_two).tell("predecessor_gone listed:behind_one"), "watch_predecessor");
}

TEST(contender, f12_a_waiter_behind_several_finds_its_own_node_gone_when_it_looks_after_it) {
  const std::string_view waits = "connected created:ok listed:behind_two predecessor_watched:ok ";
  EXPECT_EQ(after(waits).tell("look_after_own own_watched:no_node"), "forget_predecessor start_over finish");
  EXPECT_EQ(after(waits).tell("look_after_own own_watched:ok own_gone"), "forget_predecessor start_over finish");
}

TEST(contender, a_waiter_whose_predecessor_goes_while_its_own_node_is_asked_for_lists) {
  told_contender contender = after("connected created:ok listed:behind_two predecessor_watched:ok look_after_own");
  EXPECT_EQ(contender.tell("predecessor_gone"), "nothing");
  EXPECT_EQ(contender.tell("own_watched:ok"), "list");
}

TEST(contender, an_own_watch_on_which_nothing_hangs_is_set_again_later) {
  told_contender contender = after(to_waiting_behind_two);
  EXPECT_EQ(contender.tell("own_changed"), "watch_own_later");
  EXPECT_EQ(contender.state(), "waiting");
  EXPECT_EQ(contender.tell("predecessor_gone"), "list") << "without the own node's answer";
}

TEST(contender, an_own_watch_that_failed_while_an_event_is_no_grant_makes_it_list) {
  told_contender contender = after("connected created:ok listed:behind_two predecessor_watched:ok look_after_own");
  EXPECT_EQ(contender.tell("own_watched:loss"), "nothing");
  EXPECT_EQ(contender.tell("connected"), "list");
  EXPECT_EQ(contender.tell("listed:behind_two"), "watch_own_later") << "the watch on the predecessor stands";
}

TEST(contender, the_going_of_the_only_predecessor_is_the_grant) {
  EXPECT_EQ(after(to_waiting).tell("predecessor_gone"), "grant");
}

TEST(contender, the_going_of_one_of_several_predecessors_is_a_reason_to_list) {
  EXPECT_EQ(after(to_waiting_behind_two).tell("predecessor_gone"), "list");
}

TEST(contender, f104_after_a_session_event_no_event_grants) {
  EXPECT_EQ(after(to_waiting).tell("disconnected connected predecessor_gone"), "list");
  EXPECT_EQ(after(to_waiting).tell("disconnected predecessor_gone"), "list");
}

TEST(contender, f112_a_predecessor_in_the_same_session_may_take_the_own_node_along_when_it_goes) {
  for (const bool same_session : {false, true}) {
    recipes::contender machine = after("connected created:ok listed:behind_one").machine();
    static_cast<void>(machine.resume(event::predecessor_watched{code::ok, same_session}));
    static_cast<void>(machine.resume(event::own_watched{code::ok, {7}, true}));
    static_cast<void>(machine.resume(event::predecessor_gone{}));
    EXPECT_EQ(machine.is_granted(), !same_session);
    EXPECT_EQ(machine.list_under_way(), same_session);
  }
}

TEST(contender, f104_a_waiter_whose_own_node_goes_never_takes_the_next_event_for_its_turn) {
  told_contender contender = after(to_waiting);
  EXPECT_EQ(contender.tell("own_gone"), "forget_predecessor start_over finish");
  EXPECT_EQ(contender.tell("predecessor_gone"), "nothing");
}

TEST(contender, f104_the_own_node_gone_while_the_predecessor_was_being_watched_is_not_forgotten) {
  told_contender contender = after(to_waiting_behind_two);
  EXPECT_EQ(contender.tell("predecessor_gone listed:behind_one"), "watch_predecessor");
  EXPECT_EQ(contender.tell("own_gone"), "nothing");
  EXPECT_EQ(contender.tell("predecessor_watched:ok"), "forget_predecessor start_over finish");
}

TEST(contender, f21_a_predecessor_gone_before_it_was_watched_means_list_again_in_the_same_place) {
  told_contender contender = after("connected created:ok listed:behind_one");
  EXPECT_EQ(contender.tell("predecessor_watched:no_node own_watched:ok"), "list");
  EXPECT_EQ(contender.tell("listed:first"), "grant");
}

TEST(contender, f21_a_predecessor_that_goes_before_the_own_watch_is_set_is_not_missed) {
  told_contender contender = after("connected created:ok listed:behind_one predecessor_watched:ok");
  EXPECT_EQ(contender.tell("predecessor_gone"), "nothing");
  EXPECT_EQ(contender.tell("own_watched:ok"), "grant");
}

TEST(contender, f22_after_an_outage_in_the_middle_of_watching_it_lists_again) {
  told_contender contender = after("connected created:ok listed:behind_one disconnected");
  EXPECT_EQ(contender.tell("predecessor_watched:loss own_watched:loss"), "nothing");
  EXPECT_TRUE(contender.machine().needs_connection());
  EXPECT_EQ(contender.tell("connected"), "list");
  EXPECT_EQ(contender.tell("listed:behind_one"), "watch_predecessor watch_own");
}

TEST(contender, f22_a_watch_that_stands_is_not_set_a_second_time) {
  told_contender contender = after("connected created:ok listed:behind_one predecessor_watched:ok own_watched:loss");
  EXPECT_EQ(contender.tell("connected listed:behind_one"), "watch_own");
}

TEST(contender, f23_a_session_event_makes_no_waiter_ask_anything) {
  told_contender contender = after(to_waiting);
  EXPECT_EQ(contender.tell("disconnected"), "nothing");
  EXPECT_EQ(contender.tell("connected"), "nothing");
  EXPECT_EQ(contender.state(), "waiting");
}

TEST(contender, data_set_on_the_predecessor_is_a_reason_to_read_it_again_not_a_grant) {
  told_contender contender = after(to_waiting);
  EXPECT_EQ(contender.tell("predecessor_changed"), "watch_predecessor");
  EXPECT_EQ(contender.tell("predecessor_watched:marked"), "nothing") << "a mutex is not downgraded";
  EXPECT_EQ(contender.state(), "waiting");
  EXPECT_EQ(contender.tell("predecessor_gone"), "grant") << "the new watch is as good as the old one";
}

TEST(contender, data_set_on_the_own_node_uses_the_watch_up_and_it_is_set_again) {
  told_contender contender = after(to_waiting);
  EXPECT_EQ(contender.tell("own_changed"), "watch_own");
  EXPECT_EQ(contender.tell("predecessor_gone"), "nothing") << "not before the own node is known to stand";
  EXPECT_EQ(contender.tell("own_watched:ok"), "grant");
}

TEST(contender, f11_a_waiter_whose_session_is_over_starts_over_and_is_never_granted) {
  told_contender contender = after(to_waiting);
  EXPECT_EQ(contender.tell("session_over"), "start_over finish");
  EXPECT_EQ(contender.tell("predecessor_gone"), "nothing");
}

}  // namespace
}  // namespace zklock::recipes::words
