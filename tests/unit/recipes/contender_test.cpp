#include <gtest/gtest.h>

#include "tests/unit/recipes/told_contender.hpp"

namespace zklock::recipes::words {
namespace {

// ---- entering

TEST(contender, it_sends_create_and_list_back_to_back_and_is_granted_by_their_answers) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected"), "create_own list");
  EXPECT_EQ(contender.tell("created:ok"), "nothing");
  EXPECT_EQ(contender.tell("listed:first"), "grant");
  EXPECT_EQ(contender.machine().own(), own_name);
  EXPECT_EQ(contender.machine().token(), created_token);
}

TEST(contender, a_contender_behind_it_is_no_predecessor) {
  EXPECT_EQ(after(to_granted).state(), "granted") << "listed:first has one with a greater number";
}

TEST(contender, f06_a_missing_lock_node_is_made_and_the_caller_never_sees_it) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:no_node listed:no_node"), "make_lock_node create_own list");
  EXPECT_EQ(contender.tell("lock_node_made:ok created:no_node listed:no_node"), "make_lock_node create_own list")
      << "reaped again in between";
  EXPECT_EQ(contender.tell("lock_node_made:ok created:ok listed:first"), "grant");
}

TEST(contender, a_lock_node_that_may_not_be_made_is_an_error_with_its_code) {
  told_contender contender;
  EXPECT_EQ(
      contender.tell("connected created:no_node listed:no_node lock_node_made:no_auth created:no_node listed:no_node"),
      "refuse finish");
  EXPECT_EQ(contender.machine().why_refused(), refusal::server_error);
  EXPECT_EQ(contender.machine().refused_with(), code::no_auth);
}

TEST(contender, a_handle_whose_chroot_is_not_there_is_an_error_and_no_endless_attempt) {
  told_contender contender;
  EXPECT_EQ(
      contender.tell("connected created:no_node listed:no_node lock_node_made:no_root created:no_node listed:no_node"),
      "refuse finish");
  EXPECT_EQ(contender.machine().why_refused(), refusal::server_error);
  EXPECT_EQ(contender.machine().refused_with(), code::no_node);
}

TEST(contender, f47_a_name_that_exists_already_means_that_the_counter_is_stuck) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:exists listed:behind_one"), "refuse finish");
  EXPECT_EQ(contender.machine().why_refused(), refusal::exhausted);
}

TEST(contender, f47_a_tie_is_refused_before_any_grant_and_the_own_node_goes) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:ok listed:tied"), "refuse remove_own");
  EXPECT_EQ(contender.machine().why_refused(), refusal::exhausted);
}

TEST(contender, a_contender_of_another_recipe_before_it_is_an_error_and_the_own_node_goes) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:ok listed:foreign"), "refuse remove_own");
  EXPECT_EQ(contender.machine().why_refused(), refusal::wrong_recipe);
}

TEST(contender, f03_an_error_after_the_create_removes_the_own_node) {
  EXPECT_EQ(after("connected created:ok").tell("listed:no_auth"), "refuse remove_own");
  EXPECT_EQ(after("connected created:ok listed:behind_one").tell("predecessor_watched:no_auth own_watched:ok"),
            "refuse forget_own remove_own");
}

TEST(contender, f12_an_own_node_that_is_not_in_the_list_is_never_a_grant) {
  EXPECT_EQ(after("connected created:ok").tell("listed:absent"), "start_over finish");
}

TEST(contender, f32_one_try_takes_a_free_lock_and_does_not_wait_behind_another_contender) {
  told_contender free(true);
  EXPECT_EQ(free.tell(to_granted), "grant");
  told_contender taken(true);
  EXPECT_EQ(taken.tell("connected created:ok listed:behind_one"), "refuse remove_own");
  EXPECT_EQ(taken.machine().why_refused(), refusal::not_in_time);
  EXPECT_TRUE(taken.machine().queue_seen());
}

TEST(contender, the_queue_was_seen_once_a_server_has_answered) {
  told_contender contender;
  contender.tell(to_unsettled);
  EXPECT_FALSE(contender.machine().queue_seen());
  contender.tell("connected synced:ok listed:absent");
  EXPECT_TRUE(contender.machine().queue_seen());
}

// ---- unknown outcomes

TEST(contender, f01_after_an_unknown_create_it_looks_for_its_id_and_adopts_what_it_finds) {
  told_contender contender = after(to_unsettled);
  EXPECT_TRUE(contender.machine().needs_connection());
  EXPECT_EQ(contender.tell("connected"), "sync share_list") << "F04: the sync first";
  EXPECT_EQ(contender.tell("synced:ok listed:behind_one"), "watch_own");
  EXPECT_EQ(contender.machine().own(), own_name);
  EXPECT_EQ(contender.tell("own_watched:ok"), "list");
  EXPECT_EQ(contender.machine().token(), found_token) << "F07: the czxid of the node that was found";
  EXPECT_EQ(contender.tell("listed:first"), "grant");
}

TEST(contender, f01_a_create_that_was_not_applied_is_sent_again_under_the_same_id) {
  told_contender contender = after(to_unsettled);
  const std::string prefix(contender.machine().prefix());
  EXPECT_EQ(contender.tell("connected synced:ok listed:absent"), "create_own list");
  EXPECT_EQ(contender.machine().prefix(), prefix);
}

TEST(contender, f81_a_child_with_its_prefix_whose_name_is_too_long_is_not_its_node) {
  contender machine(own_id, {}, false);
  const std::string forged = std::string(machine.prefix()) + std::string(40, '0') + "0000000001";
  static_cast<void>(machine.resume(event::connected{}));
  static_cast<void>(machine.resume(event::created{code::ok, forged, {7}}));
  static_cast<void>(machine.resume(event::listed{code::ok, std::vector{forged}}));
  EXPECT_EQ(machine.life(), node_life::state::unsettled) << "it looks for the node by its id";
  static_cast<void>(machine.resume(event::connected{}));
  static_cast<void>(machine.resume(event::synced{code::ok}));
  static_cast<void>(machine.resume(event::listed{code::ok, std::vector{forged}}));
  EXPECT_EQ(machine.life(), node_life::state::entering) << "that is none: another create";
  EXPECT_TRUE(machine.own().empty());
}

TEST(contender, f02_however_many_losses_come_in_a_row_it_looks_before_it_creates) {
  told_contender contender = after(to_unsettled);
  for (int loss = 0; loss < 5; ++loss) {
    EXPECT_EQ(contender.tell("connected"), "sync share_list");
    EXPECT_EQ(contender.tell(loss % 2 == 0 ? "synced:loss listed:loss" : "synced:ok listed:loss"), "nothing");
    EXPECT_EQ(contender.state(), "unsettled");
  }
  EXPECT_EQ(contender.tell("connected synced:ok listed:absent"), "create_own list");
  EXPECT_EQ(contender.tell("created:loss listed:loss"), "nothing");
  EXPECT_EQ(contender.tell("connected synced:ok listed:behind_one own_watched:loss"), "nothing");
  EXPECT_EQ(contender.state(), "unsettled") << "the token is not known yet";
  EXPECT_EQ(contender.tell("connected synced:ok listed:first own_watched:ok listed:first"), "grant");
}

TEST(contender, f04_a_list_whose_sync_has_failed_proves_nothing) {
  EXPECT_EQ(after(to_unsettled).tell("connected synced:loss listed:absent"), "nothing");
}

TEST(contender, f09_a_node_of_another_session_is_not_its_own) {
  EXPECT_EQ(after(to_unsettled).tell("connected synced:ok listed:first own_watched:foreign"),
            "forget_own start_over finish");
}

TEST(contender, f81_a_name_that_was_cut_short_is_looked_up) {
  told_contender contender;
  EXPECT_EQ(contender.tell("connected created:cut listed:first"), "nothing");
  EXPECT_EQ(contender.state(), "unsettled");
  EXPECT_EQ(contender.tell("connected synced:ok listed:first own_watched:ok listed:first"), "grant");
}

TEST(contender, f07_a_recovered_contender_and_a_created_one_go_on_identically) {
  told_contender created = after("connected created:ok");
  told_contender found =
      after("connected created:loss listed:loss connected synced:ok listed:behind_one own_watched:ok");
  EXPECT_EQ(created.tell("listed:behind_two"), "watch_predecessor watch_own_later");
  EXPECT_EQ(found.tell("listed:behind_two"), "watch_predecessor") << "it watches its own node already";
  created.tell("predecessor_watched:ok look_after_own own_watched:ok");
  found.tell("predecessor_watched:ok");
  for (const std::string& event :
       split("predecessor_gone listed:behind_one predecessor_watched:ok predecessor_gone own_changed look_after_own "
             "own_watched:ok disconnected connected release removed:loss connected removed:ok")) {
    EXPECT_EQ(created.tell(event), found.tell(event)) << event;
    EXPECT_EQ(created.state(), found.state()) << event;
  }
  EXPECT_EQ(created.state(), "finished");
  EXPECT_EQ(created.machine().own(), found.machine().own());
}

// ---- holding

TEST(contender, f10_a_holder_whose_session_is_over_has_lost) {
  EXPECT_EQ(after(to_granted).tell("session_over"), "lose finish");
}

TEST(contender, f13_a_holder_watches_its_own_node_from_the_first_heartbeat_on) {
  told_contender contender = after(to_granted);
  EXPECT_EQ(contender.tell("look_after_own"), "watch_own");
  EXPECT_EQ(contender.tell("look_after_own"), "nothing") << "the answer is on its way";
  EXPECT_EQ(contender.tell("own_watched:ok"), "nothing");
  EXPECT_EQ(contender.tell("look_after_own"), "nothing") << "it stands";
  EXPECT_EQ(contender.tell("own_gone"), "lose finish");
}

TEST(contender, f13_a_holder_that_finds_its_own_node_gone_has_lost) {
  EXPECT_EQ(after(to_granted).tell("look_after_own own_watched:no_node"), "lose finish");
}

TEST(contender, a_holder_that_waited_watches_its_own_node_already) {
  EXPECT_EQ(after(to_waiting).tell("predecessor_gone look_after_own"), "nothing");
}

TEST(contender, f18_a_reconnect_costs_a_holder_nothing) {
  told_contender contender = after(to_granted);
  EXPECT_EQ(contender.tell("disconnected"), "nothing");
  EXPECT_EQ(contender.tell("connected"), "nothing");
  EXPECT_EQ(contender.state(), "granted");
}

TEST(contender, a_holder_whose_node_was_written_to_watches_it_anew) {
  told_contender contender = after(to_granted);
  contender.tell("look_after_own own_watched:ok own_changed");
  EXPECT_EQ(contender.tell("look_after_own"), "watch_own");
}

// ---- leaving

TEST(contender, f34_a_removal_with_an_unknown_outcome_is_repeated_until_it_is_known) {
  told_contender contender = after(to_granted);
  EXPECT_EQ(contender.tell("release"), "remove_own");
  for (int loss = 0; loss < 3; ++loss) {
    EXPECT_EQ(contender.tell("removed:loss"), "nothing");
    EXPECT_TRUE(contender.machine().needs_connection());
    EXPECT_EQ(contender.tell("connected"), "remove_own");
  }
  EXPECT_EQ(contender.tell("removed:no_node"), "finish");
  EXPECT_EQ(contender.machine().refused_with(), code::ok) << "an earlier request may have removed it";
}

TEST(contender, f34_a_removal_is_never_carried_into_another_session) {
  EXPECT_EQ(after(to_granted).tell("release session_over"), "finish");
  EXPECT_EQ(after(to_granted).tell("release removed:loss session_over"), "finish");
}

TEST(contender, f182_a_node_that_is_gone_at_its_first_removal_was_removed_by_another_client) {
  told_contender contender = after(to_granted);
  EXPECT_EQ(contender.tell("release removed:no_node"), "finish");
  EXPECT_EQ(contender.machine().refused_with(), code::no_node);
}

TEST(contender, a_removal_that_is_forbidden_ends_with_its_code) {
  told_contender contender = after(to_granted);
  EXPECT_EQ(contender.tell("release removed:no_auth"), "finish");
  EXPECT_EQ(contender.machine().refused_with(), code::no_auth);
}

TEST(contender, f29_stopping_at_any_step_answers_at_once_and_removes_the_node) {
  EXPECT_EQ(after("").tell("stop"), "refuse finish") << "there is no node";
  EXPECT_EQ(after(to_waiting).tell("stop"), "refuse forget_predecessor forget_own remove_own");
  EXPECT_EQ(after("connected created:ok listed:loss").tell("stop"), "refuse remove_own");
}

TEST(contender, f38_one_stopped_before_its_create_is_answered_stays_until_that_is_settled) {
  told_contender created = after("connected");
  EXPECT_EQ(created.tell("stop"), "refuse");
  EXPECT_EQ(created.tell("created:ok listed:first"), "remove_own") << "no grant";
  told_contender unknown = after("connected stop");
  EXPECT_EQ(unknown.tell("created:loss listed:loss connected"), "sync share_list");
  EXPECT_EQ(unknown.tell("synced:ok listed:behind_one"), "remove_own");
  told_contender never_made = after("connected stop created:loss listed:loss connected synced:ok");
  EXPECT_EQ(never_made.tell("listed:absent"), "finish");
}

TEST(contender, f37_a_watch_that_comes_up_after_the_stop_is_dropped) {
  told_contender contender = after("connected created:ok listed:behind_one");
  EXPECT_EQ(contender.tell("stop"), "refuse remove_own");
  EXPECT_EQ(contender.tell("predecessor_watched:ok"), "forget_predecessor");
  EXPECT_EQ(contender.tell("own_watched:ok"), "forget_own");
  EXPECT_EQ(contender.tell("removed:ok"), "finish");
}

TEST(contender, f31_a_stop_that_meets_the_grant_gives_the_grant_up) {
  told_contender contender = after(to_granted);
  EXPECT_EQ(contender.tell("stop"), "refuse remove_own") << "it was not delivered, or the session is being closed";
}

TEST(contender, it_says_why_it_was_stopped) {
  contender machine(own_id, {}, false);
  EXPECT_EQ(word_of(machine.resume(event::stop{refusal::closed})), "refuse finish");
  EXPECT_EQ(machine.why_refused(), refusal::closed);
  EXPECT_EQ(machine.refused_with(), code::ok);
}

TEST(contender, f44_a_release_of_what_is_not_held_sends_nothing) {
  EXPECT_EQ(after("").tell("release"), "nothing");
  EXPECT_EQ(after(to_waiting).tell("release"), "nothing");
  EXPECT_EQ(after(to_granted).tell("release release"), "nothing");
}

}  // namespace
}  // namespace zklock::recipes::words
