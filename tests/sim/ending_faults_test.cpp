// Rows of docs/design/faults.md about how things end: sessions that are replaced or closed, grants that are given back
// or dropped, notices that act at once. The checkers are asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include <stop_token>

#include "src/api/hold_notice.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto timeout = 6000ms;

// ---- a session that is another one ----------------------------------------------------------------------------------

TEST(session, f20_whose_id_has_changed_is_an_expiry_for_holders_and_waiters) {
  for (const int servers : {1, 3}) {
    stage play({.name = "",
                .programs = {{acquire, release, acquire, release}, {acquire, release}, {acquire, rest(1s), release}},
                .done_before = {1, 1, 1},
                .servers = servers});
    const auto first = play.client(0).held();
    play.strike(trouble_kind::session_replaced, 0);
    play.settle();
    EXPECT_EQ(play.lines_with("<- s0: expired"), 0) << "no server has said so";
    EXPECT_EQ(first->why_lost(), loss_reason::session_expired) << play.timeline();
    EXPECT_EQ(play.lines_with("c0 lost"), 1);
    EXPECT_EQ(play.client(1).grants(), 1U);
    play.strike(trouble_kind::session_replaced, 2);
    play.settle();
    EXPECT_EQ(play.client(2).ids().size(), 2U) << "a waiter queues again with a new node";
    EXPECT_EQ(play.client(2).grants(), 0U);
    play.finish();
    EXPECT_EQ(play.client(0).grants(), 2U);
    EXPECT_EQ(play.client(2).grants(), 1U);
  }
}

/// Wherever the acquire stands when the session is replaced.
TEST(session, f20_whose_id_has_changed_grants_nothing_that_was_begun_in_the_one_before) {
  for (int step = 0; step <= 9; ++step) {
    stage play({.name = "", .programs = {{acquire, release}, {acquire, rest(1s), release}}, .done_before = {1, 0}});
    play.next("c1 acquires");
    for (int i = 0; i < step && play.possible("c1 "); ++i) {
      play.next("c1 ");
    }
    play.next("c0 releases");
    play.strike(trouble_kind::session_replaced, 1);
    play.settle();
    EXPECT_EQ(play.client(1).ids().size(), 2U) << step << "\n" << play.timeline();
    EXPECT_EQ(play.client(1).grants(), 1U) << step << "\n" << play.timeline();
    const auto hold = play.client(1).held();
    ASSERT_NE(hold, nullptr);
    EXPECT_NE(hold->node().find(play.client(1).ids().back()), std::string::npos) << "by its node in the new session";
    play.finish();
  }
}

// ---- what is called does what it likes ------------------------------------------------------------------------------

/// The notice of a loss acts from within: gives back, acquires again, abandons, closes the session.
TEST(notice, f24_may_release_acquire_abandon_and_close_from_within) {
  const script scripts[] = {{acquire, release, acquire, release},
                            {acquire, drop, acquire, abandon, acquire, release},
                            {acquire, reenter, drop, release, try_once, release},
                            {acquire, release, acquire, close_session, release},
                            {acquire, close_session, release}};
  for (const script& one : scripts) {
    for (const trouble_kind kind : {trouble_kind::session_expired, trouble_kind::node_removed,
                                    trouble_kind::downlink_lost, trouble_kind::session_replaced}) {
      stage play({.name = "", .programs = {one, {acquire, release}}, .done_before = {1, 1}});
      int told = 0;
      {
        const auto hold = play.client(0).held();
        const std::stop_callback notice(hold->notice()->token(), [&] {
          ++told;
          while (play.client(0).actions_done() < one.size() && play.client(0).may_act()) {
            play.client(0).act();
          }
        });
        play.wait(1s);  // the own node is watched from the first heartbeat on
        play.strike(kind);
        play.wait(2 * timeout);
        EXPECT_EQ(told, 1) << name(kind) << "\n" << play.timeline();
        EXPECT_GT(play.client(0).actions_done(), 1U);
      }
      play.finish();
      ASSERT_EQ(play.client(1).grants(), 1U) << name(kind) << "\n" << play.timeline();
    }
  }
}

/// A user that is told of a grant, a refusal or a release goes on at once, before anything else is heard.
TEST(answer, f24_may_be_followed_at_once_by_the_next_action_at_every_step) {
  const script busy = {acquire, drop,    acquire, reenter, drop,    drop,    try_once, drop, acquire_within(1ms),
                       drop,    acquire, abandon, acquire, release, acquire, release};
  stage play({.name = "", .programs = {busy, busy, busy}});
  const auto act_at_once = [&] {
    for (const char* user : {"c0 ", "c1 ", "c2 "}) {
      for (const char* user_action : {"acquires", "drops", "re-enters", "tries", "abandons", "releases"}) {
        if (play.possible(std::string(user) + user_action)) {
          play.next(std::string(user) + user_action);
          return true;
        }
      }
    }
    return false;
  };
  for (int i = 0; i < 2000; ++i) {
    while (act_at_once()) {}
    std::vector<choice> options;
    play.world().collect(options);
    if (options.empty()) {
      break;
    }
    play.world().perform(choice(options[static_cast<std::size_t>(i * 7) % options.size()]));
  }
  play.finish();
  EXPECT_GT(play.client(0).grants() + play.client(1).grants() + play.client(2).grants(), 6U);
}

// ---- closing --------------------------------------------------------------------------------------------------------

TEST(close, f26_answers_all_waiters_before_it_returns_at_every_step) {
  const std::string closed = "not granted: " + make_error_code(errc::session_closed).message();
  for (const bool connected : {true, false}) {
    for (int steps = 0; steps <= 9; ++steps) {
      stage play({.name = "",
                  .programs = {{acquire, release}, {acquire, close_session, acquire, try_once}, {acquire, release}, {}},
                  .done_before = {1, 0, 0},
                  .thread_of = {-1, -1, 1}});
      play.next("c1 acquires");
      play.next("c2 acquires");
      for (int i = 0; i < steps && play.possible("c1 -> s0"); ++i) {
        play.next("c1 -> s0");
        if (play.possible("c1 <-")) {
          play.next("c1 <-");
        }
      }
      if (!connected) {
        play.servers().network().refuse(1, true);
        play.strike(trouble_kind::connection_cut, 1);
        play.settle();
      }
      play.next("c1 closes");
      EXPECT_FALSE(play.client(1).waiting());
      EXPECT_FALSE(play.client(2).waiting());
      EXPECT_EQ(play.lines_with(closed), 2) << play.timeline();
      const std::uint64_t before = play.client(1).requests();
      play.next("c1 acquires");
      play.next("c1 tries");
      EXPECT_EQ(play.lines_with(closed), 4) << "a closed session fails at once";
      play.servers().network().refuse(1, false);
      play.finish();
      ASSERT_EQ(play.client(1).requests(), before);
      ASSERT_EQ(play.client(0).grants(), 1U);
      ASSERT_EQ(play.nodes(), 0U) << steps;
    }
  }
}

TEST(close, f26_before_there_was_any_server_answers_a_caller_that_waits_for_one) {
  stage play({.name = "", .programs = {{acquire, close_session}}});
  play.servers().network().refuse(0, true);
  play.strike(trouble_kind::session_expired);
  play.settle();
  play.next("c0 acquires");
  EXPECT_TRUE(play.client(0).waiting());
  play.next("c0 closes");
  EXPECT_EQ(play.lines_with("not granted: " + make_error_code(errc::session_closed).message()), 1) << play.timeline();
  play.finish();
}

// ---- releasing ------------------------------------------------------------------------------------------------------

/// Before the own node is watched nothing tells its client: only its own removal finds that there is none.
TEST(release, f35_f182_of_a_node_that_has_gone_says_lost_and_leaves_nothing_stuck) {
  for (const bool awaited : {true, false}) {
    stage play({.name = "", .programs = {{acquire, awaited ? release : drop, acquire, release}}, .done_before = {1}});
    play.strike(trouble_kind::node_removed);
    EXPECT_TRUE(play.client(0).held()->held_at(play.now()));
    play.next(awaited ? "c0 releases" : "c0 drops");
    play.settle();
    EXPECT_EQ(play.lines_with("released: " + make_error_code(errc::lost).message()), awaited ? 1 : 0)
        << play.timeline();
    EXPECT_EQ(play.lines_with("ZNONODE"), 1);
    play.finish();
    EXPECT_EQ(play.client(0).grants(), 2U) << "nothing is stuck";
  }
}

TEST(release, f35_of_a_lost_grant_says_lost_sends_nothing_and_the_object_goes_on) {
  for (const trouble_kind kind : {trouble_kind::node_removed, trouble_kind::session_expired}) {
    stage play({.name = "", .programs = {{acquire, release, acquire, release}}, .done_before = {1}});
    play.wait(1s);
    play.strike(kind);
    play.settle();
    EXPECT_EQ(play.lines_with("c0 lost"), 1);
    const std::uint64_t before = play.client(0).requests();
    play.next("c0 releases");
    EXPECT_EQ(play.client(0).requests(), before);
    play.settle();
    EXPECT_EQ(play.lines_with("released: " + make_error_code(errc::lost).message()), 1) << play.timeline();
    play.finish();
    EXPECT_EQ(play.client(0).grants(), 2U);
  }
}

/// A grant's destructor with the servers dead, frozen, or out of reach one way: done at once, and the user goes on. The
/// node goes when they are back; a release that waits for them is answered by its deadline.
TEST(guard, f36_that_ends_does_not_wait_for_any_server) {
  for (const bool awaited : {false, true}) {
    for (const trouble_kind kind : {trouble_kind::connection_refused, trouble_kind::server_silent,
                                    trouble_kind::uplink_lost, trouble_kind::downlink_lost}) {
      stage play({.name = "",
                  .programs = {{acquire, awaited ? release : drop, rest(1s)}, {acquire, release}},
                  .done_before = {1, 1}});
      const auto hold = play.client(0).held();
      play.strike(kind);
      const instant begin = play.now();
      play.next(awaited ? "c0 releases" : "c0 drops");
      EXPECT_EQ(play.now(), begin);
      EXPECT_EQ(play.client(0).held(), nullptr);
      EXPECT_FALSE(hold->held_at(begin));
      if (!awaited) {
        play.next("c0 rests");
      }
      const instant deadline = hold->valid_until();
      play.wait(deadline - begin);
      EXPECT_EQ(play.lines_with("released"), awaited ? 1 : 0) << name(kind) << "\n" << play.timeline();
      play.finish();
      ASSERT_EQ(play.client(1).grants(), 1U);
    }
  }
}

TEST(guard, f36_that_ends_twice_gives_back_once) {
  stage play({.name = "", .programs = {{acquire, drop}, {acquire, rest(1s), release}}, .done_before = {1, 1}});
  const auto hold = play.client(0).held();
  play.next("c0 drops");
  play.client(0).release_again(hold);
  play.settle();
  EXPECT_EQ(play.lines_with("remove /l/"), 1) << play.timeline();
  EXPECT_EQ(play.lines_with("released: " + make_error_code(errc::lost).message()), 1) << "and said so";
  EXPECT_TRUE(play.client(1).held()->held_at(play.now()));
  play.finish();
}

}  // namespace
}  // namespace zklock::sim
