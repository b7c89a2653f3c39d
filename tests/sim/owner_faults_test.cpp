// Rows of docs/design/faults.md about the owner of a lock: several threads of one program on one lock, programs that
// come back, and releases by threads that do not hold. The checkers are asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto timeout = 6000ms;

/// Two threads of one program, and another program: each acquires twice.
scenario two_threads_and_another(std::vector<std::size_t> done_before = {}) {
  const script twice = {acquire, drop, acquire, release};
  return {
      .name = "", .programs = {twice, twice, twice}, .done_before = std::move(done_before), .thread_of = {-1, 0, -1}};
}

/// One releases while the other's acquire is anywhere on its way, in the same session: neither takes the other's node.
TEST(threads_of_one_session, f39_release_and_acquire_in_one_order_and_each_grant_has_one_release) {
  for (int before = 0; before <= 6; ++before) {
    for (int behind = 0; behind <= 6; ++behind) {
      stage play(two_threads_and_another({1, 0, 0}));
      play.next("c1 acquires");
      for (int i = 0; i < before && play.possible("c0 ->"); ++i) {
        play.next("c0 ->");  // the session's connection is the host's
        if (play.possible("c0 <-")) {
          play.next("c0 <-");
        }
      }
      play.next("c0 drops");
      play.next("c0 acquires");
      play.next("c2 acquires");
      for (int i = 0; i < behind && play.possible("c0 -> s0"); ++i) {
        play.next("c0 -> s0");
      }
      play.settle();
      EXPECT_EQ(play.client(1).grants(), 1U) << "it came before";
      EXPECT_EQ(play.client(0).grants(), 1U);
      play.finish();
      ASSERT_EQ(play.client(0).grants() + play.client(1).grants() + play.client(2).grants(), 6U);
      ASSERT_FALSE(::testing::Test::HasFailure()) << before << " " << behind;
    }
  }
}

TEST(threads_of_one_session, f39_acquire_right_behind_the_release_that_empties_the_queue) {
  for (const bool reaped : {false, true}) {
    stage play(
        {.name = "", .programs = {{acquire, drop}, {acquire, release}}, .done_before = {1, 0}, .thread_of = {-1, 0}});
    play.next("c0 drops");
    play.next("c1 acquires");
    if (reaped) {
      play.next("c0 -> s0: remove");
      play.strike(trouble_kind::lock_node_reaped);
    }
    play.settle();
    EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
    EXPECT_EQ(play.nodes(), 1U);
    play.finish();
  }
}

/// The second contender of a session queues like a stranger's, ends at its limit, and leaves no node.
TEST(second_on_a_path, f42_in_the_same_session_waits_for_the_first_and_never_holds_beside_it) {
  stage play({.name = "",
              .programs = {{acquire, release}, {acquire_within(1s), try_once, acquire, release}},
              .done_before = {1, 0},
              .thread_of = {-1, 0}});
  const auto first = play.client(0).held();
  play.next("c1 acquires");
  play.settle();
  EXPECT_EQ(play.nodes(), 2U);
  play.wait(1s);
  EXPECT_EQ(play.lines_with("c1 not granted: not in time"), 1);
  play.next("c1 tries once");
  play.settle();
  EXPECT_EQ(play.lines_with("c1 not granted: not in time"), 2);
  EXPECT_EQ(play.nodes(), 1U) << "the first one's";
  EXPECT_TRUE(first->held_at(play.now()));
  play.next("c1 acquires");
  play.next("c0 releases");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 1U);
  EXPECT_NE(play.client(1).held()->node(), first->node());
  play.finish();
}

/// After a lost reply the second one looks for its own id, and not for a node of its session.
TEST(second_on_a_path, f42_does_not_take_the_first_ones_node_for_its_own_after_a_loss) {
  for (const trouble_kind kind : {trouble_kind::request_lost, trouble_kind::request_applied}) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, release}},
                .done_before = {1, 0},
                .thread_of = {-1, 0}});
    play.next("c1 acquires");
    play.strike(kind, 0);
    play.settle();
    EXPECT_EQ(play.nodes(), 2U);
    EXPECT_EQ(play.client(1).grants(), 0U) << play.timeline();
    play.next("c0 releases");
    play.settle();
    EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
    play.finish();
  }
}

/// A program that holds, or waits, is killed and started again at once: the same host, the same script.
TEST(restarted_program, f43_waits_for_its_old_node_at_most_one_session_timeout_and_never_adopts_it) {
  for (const bool was_holder : {true, false}) {
    stage play({.name = "",
                .programs = {{acquire, rest(1s), release}, {acquire, rest(1s), release}, {acquire, release}},
                .done_before = {1, 1, 0}});
    const std::size_t killed = was_holder ? 0 : 1;
    const auto children = play.servers().children(lock_path);
    play.strike(trouble_kind::client_crashed, static_cast<int>(killed));
    play.next("c2 acquires");
    play.settle();
    EXPECT_EQ(play.client(2).grants(), 0U);
    EXPECT_EQ(play.nodes(), 3U) << "its own, beside the old one";
    for (const auto& old : children) {
      EXPECT_FALSE(old.name.starts_with(play.client(2).ids().front()));
    }
    if (was_holder) {
      play.play("c2 releases");
    }
    play.wait(timeout + 500ms);
    play.finish();
    EXPECT_EQ(play.client(2).grants(), 1U);
    EXPECT_EQ(play.client(1 - killed).grants(), 1U);
    EXPECT_LE(play.now(), timeout + 2s) << "one session timeout, a tick, and a rest";
  }
}

TEST(release, f44_without_a_grant_sends_nothing_and_says_lost) {
  stage play({.name = "",
              .programs = {{acquire, release, rest(1s)}, {acquire, release}},
              .done_before = {1, 0},
              .thread_of = {-1, 0}});
  const auto hold = play.client(0).held();
  play.next("c0 releases");
  play.settle();
  play.next("c1 acquires");
  play.settle();
  const std::uint64_t before = play.client(0).requests();
  play.client(0).release_again(hold);  // by the thread that held it
  play.client(1).release_again(hold);  // by another thread
  play.next("c0 rests");
  EXPECT_EQ(play.client(0).requests(), before);
  EXPECT_EQ(play.lines_with("released: " + make_error_code(errc::lost).message()), 2) << play.timeline();
  EXPECT_EQ(play.nodes(), 1U);
  EXPECT_TRUE(play.client(1).held()->held_at(play.now())) << "no other thread's node is touched";
  play.finish();
}

/// A release does not ask which thread got the grant: any thread may give it back.
TEST(release, f44_by_another_thread_removes_exactly_the_node_of_that_grant) {
  stage play({.name = "",
              .programs = {{acquire}, {acquire, release}, {rest(1s)}},
              .done_before = {1, 1, 0},
              .thread_of = {-1, 0, 0}});
  const auto hold = play.client(0).held();
  const std::string own = hold->node();
  play.client(2).release_count(hold);
  EXPECT_EQ(play.client(0).held(), nullptr);
  play.settle();
  EXPECT_FALSE(play.servers().exists(own));
  EXPECT_EQ(play.lines_with("remove /l/"), 1) << play.timeline();
  EXPECT_EQ(play.client(1).grants(), 1U);
  play.finish();
}

// ---- hand-over within a session -------------------------------------------------------------------------------------

/// A and B are threads of one program: A holds, B waits for it, C of another program waits for B. Their session ends by
/// force, and the server tells of A's going before it tells of anything else.
TEST(waiter, f112_of_a_session_that_ends_does_not_take_its_siblings_going_for_its_turn) {
  for (int heard = 0; heard <= 3; ++heard) {
    stage play({.name = "",
                .programs = {{acquire, release}, {acquire, release}, {acquire, rest(1s), release}},
                .done_before = {1, 1, 1},
                .thread_of = {-1, 0, -1}});
    play.strike(trouble_kind::session_expired, 0);
    for (int i = 0; i < heard && play.possible("c0 <- s0: deleted"); ++i) {
      play.next("c0 <- s0: deleted");
    }
    EXPECT_EQ(play.client(1).grants(), 0U) << play.timeline();
    play.settle("c0 ");
    EXPECT_EQ(play.client(2).grants(), 1U);
    play.settle();
    EXPECT_EQ(play.client(1).grants(), 0U) << "it queues again, behind";
    play.finish();
    EXPECT_EQ(play.client(1).grants(), 1U);
  }
}

TEST(waiter, f112_is_granted_when_its_sibling_gives_its_grant_back) {
  stage play(two_threads_and_another({1, 1, 1}));
  play.next("c0 drops");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 1U) << play.timeline();
  play.finish();
}

}  // namespace
}  // namespace zklock::sim
