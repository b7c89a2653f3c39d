// Rows of docs/design/faults.md, replayed exactly. The standing checks are asserted in each (stage.hpp).
#include <gtest/gtest.h>

#include "tests/sim/exhaustive.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto timeout = 6000ms;

scenario holder_and_waiter(instant holds_for = 30s) {
  return {.name = "holder and waiter",
          .programs = {{acquire, rest(holds_for), release}, {acquire, release}},
          .done_before = {1, 1}};
}

// ---- create and recovery --------------------------------------------------------------------------------------------

TEST(create, f01_whose_reply_is_lost_is_found_again_by_its_id) {
  stage play({.name = "", .programs = {{acquire, release}}});
  play.next("c0 acquires");
  play.strike(trouble_kind::request_applied);
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_EQ(play.client(0).grants(), 1U);
  EXPECT_EQ(play.client(0).ids().size(), 1U);
  play.finish();
}

/// Each of a waiter's next requests arrives, or is lost before or after it was applied: in every combination.
TEST(create, f02_survives_every_pattern_of_losses_in_a_row) {
  constexpr int length = 6;
  constexpr int patterns = 729;
  for (int pattern = 0; pattern < patterns; ++pattern) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}, .done_before = {1, 0}});
    play.next("c1 acquires");
    for (int i = 0, rest = pattern; i < length; ++i, rest /= 3) {
      play.settle("c1 -> s0");
      while (play.possible("c1 -> s0: connect") || play.possible("c1 -> s0: watch again")) {
        play.next(play.possible("c1 -> s0: connect") ? "c1 -> s0: connect" : "c1 -> s0: watch again");
        play.settle("c1 -> s0");
      }
      if (!play.possible("c1 -> s0")) {
        break;
      }
      if (rest % 3 == 0) {
        play.next("c1 -> s0");
      } else {
        play.strike(rest % 3 == 1 ? trouble_kind::request_lost : trouble_kind::request_applied, 1);
      }
    }
    play.finish();
    ASSERT_EQ(play.client(1).grants(), 1U) << "pattern " << pattern << "\n" << play.timeline();
  }
}

TEST(create, f04_is_found_on_a_server_that_lags) {
  stage play({.name = "", .programs = {{acquire, release}}, .servers = 3});
  play.next("c0 acquires");
  play.next("c0 -> s0: create");
  play.strike(trouble_kind::follower_lagging);
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_EQ(play.client(0).grants(), 0U);
  play.finish();
  EXPECT_EQ(play.client(0).ids().size(), 1U);
  EXPECT_EQ(play.lines_with("create /l/"), 1);
  EXPECT_EQ(play.lines_with("sync /l"), 1);
}

TEST(create, f06_makes_the_lock_node_again_when_it_was_reaped) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}}});
  play.next("c0 acquires");
  play.settle();
  play.next("c0 releases");
  play.settle();
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c0 acquires");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 2U);
  play.finish();
}

TEST(create, f07_a_recovered_contender_goes_on_as_a_created_one) {
  stage play({.name = "", .programs = {{acquire, release}}});
  play.next("c0 acquires");
  play.strike(trouble_kind::request_applied);
  play.settle();
  const auto proof = play.client(0).held();
  ASSERT_NE(proof, nullptr);
  const auto children = play.servers().children(lock_path);
  ASSERT_EQ(children.size(), 1U);
  EXPECT_EQ(proof->token().value, children.front().czxid);
  EXPECT_EQ(proof->node(), std::string(lock_path) + "/" + children.front().name);
  play.finish();
}

// ---- session expiry and loss ----------------------------------------------------------------------------------------

/// The client gives its session up, the server keeps it (each attempt to reconnect renews it), the old node stays first.
TEST(session, f09_f17_a_ghost_of_the_one_before_is_nobodys_grant) {
  stage play({.name = "",
              .programs = {{acquire, rest(9s), release, acquire, release}, {acquire, release}},
              .done_before = {1, 1}});
  const auto first = play.client(0).held();
  play.next("c0 rests");
  play.strike(trouble_kind::downlink_lost);
  play.wait(2 * timeout - 1s);
  EXPECT_EQ(first->why_lost(), loss_reason::deadline_passed);
  EXPECT_FALSE(first->held_at(play.now()));
  play.finish();
  EXPECT_FALSE(first->held_at(play.now()));
  EXPECT_EQ(play.client(0).grants(), 2U);
  EXPECT_EQ(play.client(1).grants(), 1U);
}

TEST(session, f10_its_end_is_told_to_the_holder_once) {
  stage play(holder_and_waiter());
  const auto proof = play.client(0).held();
  play.next("c0 rests");
  play.strike(trouble_kind::session_expired);
  play.settle();
  EXPECT_EQ(proof->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(play.lines_with("c0 lost"), 1);
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.finish();
}

TEST(session, f11_its_end_makes_a_waiter_queue_again_behind_the_others) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, release}, {acquire, release}}, .done_before = {1, 1, 1}});
  play.strike(trouble_kind::session_expired, 1);
  play.settle();
  EXPECT_GT(play.client(1).ids().size(), 1U);
  EXPECT_EQ(play.nodes(), 3U);
  play.next("c0 releases");
  play.settle();
  EXPECT_EQ(play.client(2).grants(), 1U);
  EXPECT_EQ(play.client(1).grants(), 0U);
  play.finish();
}

TEST(contender, f12_whose_own_node_is_gone_starts_again) {
  stage play({.name = "", .programs = {{acquire, release}}});
  play.next("c0 acquires");
  play.next("c0 -> s0: create");
  play.strike(trouble_kind::node_removed);
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 1U);
  EXPECT_EQ(play.client(0).ids().size(), 2U);
  play.finish();
}

TEST(holder, f13_is_told_when_an_operator_removes_its_node) {
  stage play(holder_and_waiter());
  const auto proof = play.client(0).held();
  play.next("c0 rests");
  play.wait(timeout / 6);
  play.strike(trouble_kind::node_removed);
  play.settle();
  EXPECT_EQ(proof->why_lost(), loss_reason::node_removed);
  play.finish();
}

TEST(session, f14_after_its_end_the_same_owner_acquires_anew_with_a_larger_token) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}}, .done_before = {1}});
  const auto first = play.client(0).held();
  play.strike(trouble_kind::session_expired);
  play.settle();
  play.play("nothing");
  EXPECT_EQ(play.client(0).grants(), 2U);
  play.finish();
}

/// one_holder is asked at each instant: the holder must have stopped believing before the waiter is granted.
TEST(deadline, f15_is_before_the_next_grant_wherever_and_however_long_the_holder_is_cut_off) {
  for (int begin = 0; begin <= 12; ++begin) {
    for (int length = 1; length <= 24; length += 1) {
      for (const bool both_ways : {false, true}) {
        stage play(holder_and_waiter());
        play.next("c0 rests");
        play.wait(timeout * begin / 24);
        play.servers().hold(0, true, both_ways);
        play.wait(timeout * length / 12);
        play.servers().hold(0, false, false);
        play.finish();
        ASSERT_FALSE(::testing::Test::HasFailure()) << begin << " " << length;
      }
    }
  }
}

TEST(holder, f18_survives_the_loss_of_one_server_and_of_the_leader) {
  for (const trouble_kind kind : {trouble_kind::leader_killed, trouble_kind::connection_cut}) {
    for (const int holder : {0, 1}) {
      scenario plays = holder_and_waiter(12s);
      plays.servers = 3;
      if (holder == 1) {
        std::swap(plays.programs[0], plays.programs[1]);
        plays.programs[0].insert(plays.programs[0].begin(), rest(100ms));
        plays.done_before = {0, 1};
      }
      stage play(plays);
      const auto who = static_cast<std::size_t>(holder);
      const auto proof = play.client(who).held();
      ASSERT_NE(proof, nullptr);
      play.play();
      play.strike(kind, kind == trouble_kind::leader_killed ? 0 : holder);
      play.wait(2s);
      EXPECT_TRUE(proof->held_at(play.now())) << play.timeline();
      EXPECT_EQ(play.lines_with("lost /l"), 0);
      play.finish();
      EXPECT_EQ(play.client(who).ids().size(), 1U);
    }
  }
}

/// The reply that would grant has waited in the queue of a stopped process for longer than its session has lived.
TEST(grant, f19_is_not_delivered_once_the_session_may_be_over) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, rest(20s), release}}});
  play.next("c0 acquires");
  play.next("c0 -> s0: create");
  play.next("c0 -> s0: list");
  play.strike(trouble_kind::client_stopped);
  play.wait(timeout + 1s);
  EXPECT_EQ(play.nodes(), 0U);
  play.next("c1 acquires");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.wait(timeout);
  EXPECT_EQ(play.client(0).grants(), 0U) << play.timeline();
  play.finish();
  EXPECT_EQ(play.client(0).grants(), 1U);
}

/// A follower that is cut off from its leader answers reads and pings for ten seconds, the leader ends the session.
TEST(deadline, f101_is_not_moved_by_reads_that_a_cut_off_follower_answers) {
  stage play({.name = "",
              .programs = {{rest(1ms), acquire, release}, {acquire, rest(30s), release}},
              .done_before = {0, 1},
              .servers = 3,
              .sync_limit = 20});
  const auto proof = play.client(1).held();
  ASSERT_NE(proof, nullptr);
  play.next("c1 rests");
  play.next("c0 rests");
  play.wait(1s);
  play.next("c0 rests");
  play.next("c0 acquires");
  play.settle();
  play.servers().refuse(1, true);  // or it would go on with another server
  play.strike(trouble_kind::follower_cut, 1);
  play.wait(timeout + 1s);
  EXPECT_EQ(proof->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(play.client(0).grants(), 1U);
  play.servers().refuse(1, false);
  play.finish();
}

/// A follower takes the first write after an idle spell and dies before it has told the leader of whom it has heard.
TEST(deadline, f102_allows_for_a_touch_that_never_reached_the_leader) {
  for (instant idle = 0ms; idle <= 3s; idle += 125ms) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, rest(30s), release}}, .servers = 3});
    play.wait(idle);
    play.next("c1 acquires");
    play.settle();
    ASSERT_EQ(play.client(1).grants(), 1U);
    play.next("c1 rests");
    play.servers().refuse(1, true);
    play.servers().kill_server(1);
    play.next("c0 acquires");
    play.wait(2 * timeout);
    EXPECT_EQ(play.client(0).grants(), 1U);
    EXPECT_EQ(play.client(1).held()->why_lost(), loss_reason::deadline_passed);
    play.servers().refuse(1, false);
    play.servers().start_server(1);
    play.finish();
    ASSERT_FALSE(::testing::Test::HasFailure()) << idle.count();
  }
}

/// The same with other writes right before it: their answers do not prove that the leader knows of whom they came from.
TEST(deadline, f102_is_not_moved_by_a_second_request_before_the_leader_can_know_of_the_first) {
  for (instant election = 100ms; election <= 2s; election += 100ms) {
    for (instant idle = 500ms; idle <= 2000ms; idle += 50ms) {
      stage play({.name = "",
                  .programs = {{acquire, release}, {try_once, drop, try_once, drop, acquire, rest(30s), release}},
                  .servers = 3,
                  .tick = 2000ms});
      play.wait(election);
      play.servers().restart_server(0);
      play.wait(950ms);  // its client is with the third now
      for (const instant time : {idle, instant{0}}) {
        play.next("c1 tries once");
        play.settle();
        play.next("c1 drops its grant");
        play.wait(time);
      }
      play.next("c1 acquires");
      play.settle();
      play.next("c1 rests");
      play.servers().refuse(1, true);
      play.servers().kill_server(2);
      play.next("c0 acquires");
      play.wait(2 * timeout);
      play.servers().refuse(1, false);
      play.servers().start_server(2);
      play.finish();
      ASSERT_FALSE(::testing::Test::HasFailure()) << election.count() << " " << idle.count();
    }
  }
}

/// The connect request arrives, its answer is held back for a while, and then nothing goes up any more.
TEST(deadline, f103_is_not_moved_by_a_connected_event) {
  for (int twelfth = 1; twelfth <= 7; ++twelfth) {
    stage play(holder_and_waiter());
    play.next("c0 rests");
    play.wait(1s);
    play.strike(trouble_kind::connection_cut);
    play.settle("c0 -> s0: connect");
    play.servers().hold(0, false, true);
    play.settle();
    play.wait(timeout * twelfth / 12);
    play.servers().hold(0, true, false);
    play.settle();
    play.wait(2 * timeout);
    play.servers().hold(0, false, false);
    play.finish();
    ASSERT_FALSE(::testing::Test::HasFailure()) << twelfth;
  }
}

// ---- waiting and wake-up --------------------------------------------------------------------------------------------

TEST(waiter, f21_is_granted_wherever_its_predecessor_goes) {
  for (int steps = 0; steps <= 9; ++steps) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}, .done_before = {1, 0}});
    play.next("c1 acquires");
    for (int i = 0; i < steps && play.possible("c1 "); ++i) {
      play.next("c1 ");
    }
    play.next("c0 releases");
    play.settle("c1 ");
    EXPECT_FALSE(play.possible("c0"));
    play.settle();
    EXPECT_EQ(play.client(1).grants(), 1U) << steps;
    play.finish();
  }
}

TEST(waiter, f22_is_granted_when_its_predecessor_goes_during_an_outage) {
  for (const int servers : {1, 3}) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, release}, {acquire, release}},
                .done_before = {1, 1, 1},
                .servers = servers});
    play.next("c0 releases");
    play.settle("c1 <-");
    play.strike(servers == 1 ? trouble_kind::server_restarted : trouble_kind::leader_killed);
    play.wait(1s);
    EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
    play.finish();
  }
}

/// Create, list, a watch on either node; then the removal, and a list before it unless the event alone is enough.
TEST(waiter, f23_costs_one_list_a_hand_over_and_none_when_it_was_next) {
  stage play({.name = "",
              .programs = {{acquire, release}, {acquire, drop}, {acquire, drop}, {acquire, drop}, {acquire, drop}},
              .done_before = {1, 1, 1, 1, 1}});
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(play.client(i).requests(), 4U);
  }
  play.next("c0 releases");
  play.play();
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(play.client(i).grants(), 1U);
    EXPECT_EQ(play.client(i).requests(), i == 1 ? 5U : 6U);
  }
  EXPECT_EQ(play.lines_with(": deleted /l/"), 8) << "each going wakes its successor, and its owner hears of its own";
  play.finish();
}

TEST(waiter, f25_f31_hears_an_event_for_a_finished_attempt_without_effect) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, abandon, acquire, release}}, .done_before = {1, 1}});
  play.next("c0 releases");
  play.settle("c1 <-");
  EXPECT_TRUE(play.possible("c1 <- s0: deleted"));
  play.next("c1 abandons");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 0U);
  play.finish();
  EXPECT_EQ(play.client(1).grants(), 1U);
}

/// An operator removes a waiter's node; every order in which it may hear of that and of its predecessor's going.
TEST(waiter, f104_whose_own_node_is_gone_takes_no_event_for_its_turn) {
  const scenario plays{.name = "",
                       .programs = {{acquire, release}, {acquire, release}, {acquire, release}},
                       .done_before = {1, 1, 1}};
  const exploration done = explore(plays, {trouble_kind::node_removed, 1}, {});
  EXPECT_GT(done.schedules, 20U);
  EXPECT_FALSE(done.found) << done.found->checker << ": " << done.found->what;
}

TEST(waiter, f104_told_of_both_nodes_after_a_reconnect_in_either_order_is_not_granted) {
  for (const bool other_way_round : {false, true}) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, release}, {acquire, rest(10s), release}},
                .done_before = {1, 1, 1}});
    play.strike(trouble_kind::connection_cut, 1);
    play.strike(trouble_kind::node_removed, 1);
    play.next("c0 releases");
    play.settle("c1 ");
    EXPECT_EQ(play.client(2).grants(), 1U);
    play.until("c1 <- s0: deleted");
    std::vector<choice> options;
    play.world().collect(options);
    std::erase_if(options, [](const choice& one) {
      return one.what != choice::kind::model || one.step.kind != testing::step_kind::deliver || one.step.client != 1;
    });
    ASSERT_EQ(options.size(), 2U) << play.timeline();
    play.world().perform(options[other_way_round ? 1 : 0]);
    play.settle();
    EXPECT_EQ(play.client(1).grants(), 0U);
    play.finish();
    EXPECT_EQ(play.client(1).grants(), 1U);
  }
}

// ---- time limits ----------------------------------------------------------------------------------------------------

TEST(limit, f28_is_one_instant_however_many_predecessors_leave_meanwhile) {
  scenario plays{.name = "", .programs = {}, .done_before = {1, 1, 1, 1, 1}};
  for (int i = 0; i < 4; ++i) {
    plays.programs.push_back({acquire, rest(900ms), release});
  }
  plays.programs.push_back({acquire_within(1s), release});
  stage play(plays);
  const instant begin = play.now();
  play.finish();
  EXPECT_EQ(play.client(4).grants(), 0U);
  EXPECT_EQ(play.lines_with("c4 not granted: not in time"), 1);
  EXPECT_GT(play.now(), begin + 3s);
}

TEST(limit, f29_f38_leaves_no_node_wherever_the_attempt_is_stopped) {
  for (int steps = 0; steps <= 10; ++steps) {
    stage play({.name = "", .programs = {{acquire, abandon}}});
    play.next("c0 acquires");
    for (int i = 0; i < steps && play.possible("c0 ") && play.client(0).waiting(); ++i) {
      play.next("c0 ");
    }
    if (!play.client(0).waiting()) {
      break;
    }
    play.next("c0 abandons");
    play.settle();
    EXPECT_EQ(play.nodes(), 0U) << steps;
    play.finish();
  }
}

TEST(limit, f32_of_one_try_succeeds_on_a_free_lock_and_fails_on_a_held_one) {
  stage play({.name = "", .programs = {{try_once, release}, {try_once, release}}});
  play.next("c0 tries once");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 1U);
  play.next("c1 tries once");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 0U);
  EXPECT_EQ(play.nodes(), 1U);
  play.finish();
}

// ---- release --------------------------------------------------------------------------------------------------------

TEST(release, f34_goes_on_until_the_node_is_gone_and_the_same_owner_gets_through) {
  for (const trouble_kind kind : {trouble_kind::request_lost, trouble_kind::request_applied}) {
    stage play({.name = "", .programs = {{acquire, drop, acquire, release}}, .done_before = {1}});
    play.next("c0 drops");
    play.strike(kind);
    play.next("c0 acquires");
    play.settle();
    EXPECT_EQ(play.client(0).grants(), 2U);
    EXPECT_EQ(play.nodes(), 1U);
    play.finish();
  }
}

TEST(tries, f37_leave_no_watch_however_many_have_failed) {
  scenario plays{.name = "", .programs = {{acquire, release}, {}}, .done_before = {1, 0}};
  for (int i = 0; i < 100; ++i) {
    plays.programs[1].push_back(acquire);
    plays.programs[1].push_back(abandon);
  }
  stage play(plays);
  for (int i = 0; i < 100; ++i) {
    play.next("c1 acquires");
    play.settle();
    play.next("c1 abandons");
    play.settle();
    ASSERT_EQ(play.servers().watches(1).in_client, 0U);
  }
  play.finish();
}

// ---- re-entry -------------------------------------------------------------------------------------------------------

TEST(reentry, f40_on_a_lost_hold_is_refused) {
  stage play({.name = "", .programs = {{acquire, reenter, release}}, .done_before = {1}});
  play.strike(trouble_kind::session_expired);
  play.settle();
  play.next("c0 re-enters");
  EXPECT_EQ(play.lines_with("not re-entered: lost"), 1);
  play.finish();
}

TEST(reentry, f41_f45_needs_as_many_releases_and_keeps_the_token) {
  stage play({.name = "", .programs = {{acquire, reenter, drop, release}}, .done_before = {1}});
  const auto token = play.client(0).held()->token();
  play.next("c0 re-enters");
  EXPECT_EQ(play.client(0).held()->token(), token);
  play.next("c0 drops");
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  play.next("c0 releases");
  play.settle();
  EXPECT_EQ(play.nodes(), 0U);
  play.finish();
}

// ---- names and numbers ----------------------------------------------------------------------------------------------

TEST(order, f46_is_by_sequence_number_whatever_the_ids) {
  for (std::uint64_t salt = 2; salt < 40; ++salt) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, release}, {acquire, release}},
                .done_before = {1, 1, 1},
                .salt = salt});
    play.next("c0 releases");
    play.settle();
    ASSERT_EQ(play.client(1).grants(), 1U);
    ASSERT_EQ(play.client(2).grants(), 0U);
    play.finish();
  }
}

TEST(token, f48_rises_although_the_numbering_restarts_with_the_lock_node) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}}, .done_before = {1}});
  const auto first = play.client(0).held();
  play.next("c0 releases");
  play.settle();
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c0 acquires");
  play.settle();
  const auto second = play.client(0).held();
  EXPECT_TRUE(first->node().ends_with("-0000000000"));
  EXPECT_TRUE(second->node().ends_with("-0000000000"));
  EXPECT_NE(first->node(), second->node());
  EXPECT_GT(second->token(), first->token());
  play.finish();
}

/// The removal is held back on its way until the lock node was removed and made anew.
TEST(removal, f48_that_comes_late_hits_nobody_elses_node) {
  stage play({.name = "", .programs = {{acquire, drop}, {acquire, rest(1s), release}}, .done_before = {1, 0}});
  play.next("c0 drops");
  EXPECT_TRUE(play.possible("c0 -> s0: remove"));
  play.strike(trouble_kind::node_removed);
  play.strike(trouble_kind::lock_node_reaped);
  play.next("c1 acquires");
  play.settle("c0 ->");
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.next("c0 -> s0: remove");
  play.settle();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_TRUE(play.client(1).held()->held_at(play.now()));
  play.finish();
}

TEST(children, f49_that_are_no_contenders_are_ignored) {
  stage play({.name = "", .programs = {{acquire, release}, {acquire, release}}});
  for (const char* foreign : {"/l/0", "/l/-", "/l/zzz", "/l/lock"}) {
    ASSERT_TRUE(play.servers().create_node(foreign));
  }
  play.play();
  EXPECT_EQ(play.client(0).grants(), 1U);
  EXPECT_EQ(play.client(1).grants(), 1U);
  EXPECT_EQ(play.nodes(), 4U);
}

}  // namespace
}  // namespace zklock::sim
