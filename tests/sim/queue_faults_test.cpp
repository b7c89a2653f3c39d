// Rows of docs/design/faults.md about the queue, time limits, release and re-entry, replayed exactly. The checkers
// are asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/sim/exhaustive.hpp"
#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

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

/// Two are told in each task of the session, and the connection breaks when so many tasks are done.
TEST(waiter, f190_of_a_crowd_that_is_told_in_slices_is_granted_whatever_comes_in_between) {
  const std::size_t shipped = std::exchange(slice_of_programs, 2);
  const user_action read = acquires({{0, detail::side::read}});
  for (int tasks = 0; tasks <= 3; ++tasks) {
    scenario plays{.name = "", .programs = {{acquires({{0, detail::side::write}}), drop}}, .done_before = {1}};
    plays.thread_of = {-1};
    for (int reader = 1; reader <= 7; ++reader) {
      plays.programs.push_back({read, drop});
      plays.done_before.push_back(1);
      plays.thread_of.push_back(0);
    }
    plays.locks[0].kind = recipe::shared;
    stage play(std::move(plays));
    play.next("c0 drops");
    play.until("c0 timer");
    for (int task = 0; task < tasks && play.possible("c0 timer"); ++task) {
      play.next("c0 timer");
    }
    EXPECT_TRUE(play.possible("c0 timer")) << "some are still to be told\n" << play.timeline();
    play.strike(trouble_kind::connection_cut, 0);
    play.wait(1s);
    for (int reader = 1; reader <= 7; ++reader) {
      EXPECT_TRUE(play.client(reader).held()) << reader << " after " << tasks << "\n" << play.timeline();
    }
    play.finish();
  }
  slice_of_programs = shipped;
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
    EXPECT_EQ(play.client(i).requests(), i == 1 ? 4U : 3U) << "the one that is next watches its own node, too";
  }
  play.next("c0 releases");
  play.play();
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(play.client(i).grants(), 1U);
    EXPECT_EQ(play.client(i).requests(), 5U);
  }
  EXPECT_EQ(play.lines_with(": deleted /l/"), 5) << "each going wakes its successor; one owner watched its own node";
  play.finish();
}

TEST(waiter, f25_f31_hears_an_event_for_a_finished_attempt_without_effect) {
  stage play(
      {.name = "", .programs = {{acquire, release}, {acquire, abandon, acquire, release}}, .done_before = {1, 1}});
  play.next("c0 releases");
  play.settle("c1 <-");
  EXPECT_TRUE(play.possible("c1 <- s0: deleted"));
  play.next("c1 abandons");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 0U);
  play.finish();
  EXPECT_EQ(play.client(1).grants(), 1U);
}

/// However far it is from the grant when the time is up, in the queue of a lock that is given back or at a free one:
/// one answer of the two, and what comes late hurts no later attempt.
TEST(waiter, f31_whose_limit_meets_the_grant_is_told_one_of_the_two_and_acquires_again) {
  for (const bool queued : {true, false}) {
    std::set<std::uint64_t> outcomes;
    for (int steps = 0; steps <= 9; ++steps) {
      stage play({.name = "",
                  .programs = {{acquire, release}, {acquire_within(100ms), release, acquire, release}},
                  .done_before = {1, queued ? 1U : 0U}});
      play.next("c0 releases");
      play.settle("c1 ");
      if (!queued) {
        play.next("c1 acquires");
      }
      for (int i = 0; i < steps && play.client(1).waiting() && play.possible("c1 "); ++i) {
        play.next("c1 ");
      }
      if (play.client(1).waiting()) {
        play.world().perform({choice::kind::limit, 1, {}, {}});
      }
      EXPECT_FALSE(play.client(1).waiting());
      const std::uint64_t grants = play.client(1).grants();
      outcomes.insert(grants);
      play.settle();
      EXPECT_EQ(play.client(1).grants(), grants) << "nothing of it comes late\n" << play.timeline();
      EXPECT_EQ(play.lines_with("c1 not granted: "), grants == 1 ? 0 : 1) << play.timeline();
      EXPECT_EQ(play.nodes(), grants) << play.timeline();
      play.finish();
      EXPECT_EQ(play.client(1).grants(), grants + 1);
    }
    EXPECT_EQ(outcomes, (std::set<std::uint64_t>{0, 1})) << "the time was up before and behind the grant";
  }
}

/// An operator removes a waiter's node; every order in which it may hear of that and of its predecessor's going.
TEST(waiter, f104_whose_own_node_is_gone_takes_no_event_for_its_turn) {
  const scenario plays{
      .name = "", .programs = {{acquire, release}, {acquire, release}, {acquire, release}}, .done_before = {1, 1, 1}};
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
    ASSERT_EQ(play.servers().view().watches(1).in_client, 0U);
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

}  // namespace
}  // namespace zklock::sim
