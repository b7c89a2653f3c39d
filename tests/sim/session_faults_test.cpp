// Rows of docs/design/faults.md about sessions, loss and the local deadline, replayed exactly. The checkers are
// asked in each (stage.hpp).
#include <gtest/gtest.h>

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

/// The client gives its session up, the server keeps it (each attempt to reconnect renews it), the old node stays
/// first.
TEST(session, f09_f17_a_ghost_of_the_one_before_is_no_grant) {
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
  const auto hold = play.client(0).held();
  play.next("c0 rests");
  play.strike(trouble_kind::session_expired);
  play.settle();
  EXPECT_EQ(hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(play.lines_with("c0 lost"), 1);
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.finish();
}

TEST(session, f11_its_end_makes_a_waiter_queue_again_behind_the_others) {
  stage play(
      {.name = "", .programs = {{acquire, release}, {acquire, release}, {acquire, release}}, .done_before = {1, 1, 1}});
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
  const auto hold = play.client(0).held();
  play.next("c0 rests");
  play.wait(timeout / 6);
  play.strike(trouble_kind::node_removed);
  play.settle();
  EXPECT_EQ(hold->why_lost(), loss_reason::node_removed);
  play.finish();
}

/// Its event of the node's end has waited for it, and is heard before its own timers run.
TEST(holder, f176_stopped_past_its_session_has_lost_by_the_deadline_whatever_it_hears_first) {
  stage play(holder_and_waiter());
  const auto hold = play.client(0).held();
  play.next("c0 rests");
  play.wait(timeout / 6);
  play.client(0).stop(true);
  play.world().judges().stopped(0);
  play.wait(2 * timeout, "c0 <-");
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.client(0).stop(false);
  play.next("c0 <- s0: deleted");
  EXPECT_EQ(hold->why_lost(), loss_reason::deadline_passed) << play.timeline();
  play.world().judges().continued(0, play.now());
  play.finish();
}

TEST(session, f14_after_its_end_the_same_owner_acquires_anew_with_a_larger_token) {
  stage play({.name = "", .programs = {{acquire, release, acquire, release}}, .done_before = {1}});
  const auto first = play.client(0).held();
  play.strike(trouble_kind::session_expired);
  play.settle();
  play.next("c0 releases");
  play.next("c0 acquires");
  play.settle();
  EXPECT_EQ(play.client(0).grants(), 2U);
  EXPECT_GT(play.client(0).held()->token(), first->token());
  EXPECT_NE(play.client(0).held()->node(), first->node());
  EXPECT_EQ(first->why_lost(), loss_reason::session_expired) << "the old one stays lost";
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
        play.servers().network().hold(0, true, both_ways);
        play.wait(timeout * length / 12);
        play.servers().network().hold(0, false, false);
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
      const auto holder_index = static_cast<std::size_t>(holder);
      const auto hold = play.client(holder_index).held();
      ASSERT_NE(hold, nullptr);
      play.play();
      play.strike(kind, kind == trouble_kind::leader_killed ? 0 : holder);
      play.wait(2s);
      EXPECT_TRUE(hold->held_at(play.now())) << play.timeline();
      EXPECT_EQ(play.lines_with("lost /l"), 0);
      play.finish();
      EXPECT_EQ(play.client(holder_index).ids().size(), 1U);
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

/// A waiter's process stands still for nearly as long as its session lives, and finds on waking that its turn has come:
/// what it says to its follower then may reach the leader too late.
TEST(grant, f16_f111_is_not_delivered_on_the_strength_of_a_touch_that_may_come_too_late) {
  for (instant length = 4s; length <= 7s; length += 50ms) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, rest(20s), release}, {acquire, release}},
                .done_before = {1, 1, 1},
                .servers = 3});
    play.wait(1250ms);
    play.client(1).stop(true);
    play.world().judges().stopped(1);
    play.next("c0 releases");
    play.wait(length, "c1 <-");
    play.client(1).stop(false);
    play.world().judges().continued(1, play.now());
    play.finish();
    ASSERT_FALSE(::testing::Test::HasFailure()) << length.count();
    EXPECT_EQ(play.client(1).grants(), 1U);
  }
}

/// A follower that is cut off from its leader answers reads and pings for ten seconds, the leader ends the session.
TEST(deadline, f101_is_not_moved_by_reads_that_a_cut_off_follower_answers) {
  stage play({.name = "",
              .programs = {{rest(1ms), acquire, release}, {acquire, rest(30s), release}},
              .done_before = {0, 1},
              .servers = 3,
              .sync_limit = 20});
  const auto hold = play.client(1).held();
  ASSERT_NE(hold, nullptr);
  play.next("c1 rests");
  play.next("c0 rests");
  play.wait(1s);
  play.next("c0 rests");
  play.next("c0 acquires");
  play.settle();
  play.servers().network().refuse(1, true);  // or it would go on with another server
  play.strike(trouble_kind::follower_cut, 1);
  play.wait(timeout + 1s);
  EXPECT_EQ(hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(play.client(0).grants(), 1U);
  play.servers().network().refuse(1, false);
  play.finish();
}

/// A follower takes the first write after an idle spell and dies before it has told the leader which client it has
/// heard of.
TEST(deadline, f102_allows_for_a_touch_that_never_reached_the_leader) {
  for (instant idle = 0ms; idle <= 3s; idle += 125ms) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, rest(30s), release}}, .servers = 3});
    play.wait(idle);
    play.next("c1 acquires");
    play.settle();
    ASSERT_EQ(play.client(1).grants(), 1U);
    play.next("c1 rests");
    play.servers().network().refuse(1, true);
    play.servers().control().kill_server(1);
    play.next("c0 acquires");
    play.wait(2 * timeout);
    EXPECT_EQ(play.client(0).grants(), 1U);
    EXPECT_EQ(play.client(1).held()->why_lost(), loss_reason::deadline_passed);
    play.servers().network().refuse(1, false);
    play.servers().control().start_server(1);
    play.finish();
    ASSERT_FALSE(::testing::Test::HasFailure()) << idle.count();
  }
}

/// F102 with other writes right before it: their answers do not prove that the leader knows of the client that sent
/// them.
TEST(deadline, f110_is_not_moved_by_a_second_request_before_the_leader_can_know_of_the_first) {
  for (instant election = 100ms; election <= 2s; election += 100ms) {
    for (instant idle = 500ms; idle <= 2000ms; idle += 50ms) {
      stage play({.name = "",
                  .programs = {{acquire, release}, {try_once, drop, try_once, drop, acquire, rest(30s), release}},
                  .servers = 3,
                  .tick = 2000ms});
      play.wait(election);
      play.servers().control().restart_server(0);
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
      play.servers().network().refuse(1, true);
      play.servers().control().kill_server(2);
      play.next("c0 acquires");
      play.wait(2 * timeout);
      play.servers().network().refuse(1, false);
      play.servers().control().start_server(2);
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
    play.servers().network().hold(0, false, true);
    play.settle();
    play.wait(timeout * twelfth / 12);
    play.servers().network().hold(0, true, false);
    play.settle();
    play.wait(2 * timeout);
    play.servers().network().hold(0, false, false);
    play.finish();
    ASSERT_FALSE(::testing::Test::HasFailure()) << twelfth;
  }
}

}  // namespace
}  // namespace zklock::sim
