// Rows of docs/design/faults.md about calls that have no thread. Each call of the simulator is one: begun, and told. That it is
// told exactly once, and that nothing is left, is asked in each (stage.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/stage.hpp"

namespace zklock::sim {
namespace {

using namespace std::chrono_literals;

/// In one session: the first holds, the others wait.
scenario a_row_of(std::size_t calls, const script& waits) {
  scenario row{.name = "", .programs = {{acquire, drop}}, .done_before = {1}, .thread_of = {-1}};
  for (std::size_t i = 1; i < calls; ++i) {
    row.programs.push_back(waits);
    row.done_before.push_back(0);
    row.thread_of.push_back(0);
  }
  return row;
}

void let_all_wait(stage& play, std::size_t calls) {
  for (std::size_t i = 1; i < calls; ++i) {
    play.next("c" + std::to_string(i) + " acquires");
  }
  play.settle();
  ASSERT_EQ(play.nodes(), calls);
}

TEST(calls_that_wait, f120_take_no_part_of_the_release_that_lets_one_in) {
  constexpr std::size_t calls = 60;
  stage play(a_row_of(calls, {acquire, drop}));
  let_all_wait(play, calls);
  play.next("c0 drops");
  for (std::size_t i = 1; i < calls; ++i) {
    play.settle();
    ASSERT_EQ(play.client(i).grants(), 1U) << i;
    play.next("c" + std::to_string(i) + " drops");
  }
  play.finish();
  EXPECT_EQ(play.nodes(), 0U);
}

/// They come from one strand, as if from one thread.
TEST(calls_that_wait, f121_without_an_owner_stand_behind_each_other_and_of_one_owner_reenter) {
  constexpr std::uint64_t job = 7;
  const user_action without_owner{user_action::kind::acquire, {}, {}, 0, detail::no_owner};
  const user_action own{user_action::kind::acquire, {}, {}, 0, job};
  const user_action own_behind{user_action::kind::acquire_behind, {}, {}, 0, job};
  for (const bool same_owner : {false, true}) {
    const user_action first = same_owner ? own : without_owner;
    const user_action second = same_owner ? own_behind : without_owner;
    stage play({.name = "", .programs = {{first, drop}, {second, drop}}, .done_before = {1, 0}, .thread_of = {-1, 0}});
    play.next("c1 acquires");
    play.settle();
    EXPECT_EQ(play.nodes(), same_owner ? 1U : 2U);
    EXPECT_EQ(play.lines_with("c1 re-entered"), same_owner ? 1 : 0) << play.timeline();
    play.finish();
  }
}

/// Before its create is sent, on its way, in the queue, behind the release that lets it in, with the grant on its way to it.
TEST(calls_that_wait, f122_and_are_cancelled_at_any_step_are_granted_or_leave_no_node) {
  std::size_t granted = 0, cancelled = 0;
  for (const bool released : {false, true}) {
    for (int steps = 0; steps <= 12; ++steps) {
      stage play(a_row_of(2, {acquire, abandon, drop}));
      play.next("c1 acquires");
      if (released) {
        play.next("c0 drops");
      }
      for (int i = 0; i < steps; ++i) {
        for (const char* way : {"c0 ->", "c0 <-"}) {
          if (play.possible(way)) {
            play.next(way);
          }
        }
      }
      if (play.possible("c1 abandons")) {  // else it is granted
        play.next("c1 abandons");
      }
      play.settle();
      const bool got = play.client(1).grants() == 1;
      (got ? granted : cancelled) += 1;
      ASSERT_EQ(play.nodes(), (released ? 0U : 1U) + (got ? 1U : 0U)) << steps << "\n" << play.timeline();
      play.finish();
      ASSERT_FALSE(::testing::Test::HasFailure()) << released << " " << steps;
    }
  }
  EXPECT_GT(granted, 0U);
  EXPECT_GT(cancelled, 0U);
}

std::vector<std::string> names(stage& play) {
  std::vector<std::string> of;
  for (const auto& each : play.servers().children(lock_path)) {
    of.push_back(each.name);
  }
  return of;
}

TEST(calls_that_wait, f123_and_are_cancelled_leave_the_session_and_the_others_places) {
  constexpr std::size_t calls = 4;
  stage play(a_row_of(calls, {acquire, abandon, drop}));
  let_all_wait(play, calls);
  const std::vector<std::string> before = names(play);
  play.next("c2 abandons");
  play.settle();
  const std::vector<std::string> behind = names(play);
  ASSERT_EQ(behind.size(), calls - 1);
  for (const std::string& one : behind) {
    EXPECT_NE(std::find(before.begin(), before.end(), one), before.end()) << one;
  }
  play.next("c0 drops");
  play.settle();
  EXPECT_EQ(play.client(1).grants(), 1U) << "the next in line";
  play.finish();
}

/// Of the session's end, a cancel and the grant, in each order.
TEST(calls_that_wait, f124_are_told_once_whatever_else_ends) {
  for (int before_close = 0; before_close <= 8; ++before_close) {
    for (const bool cancels : {false, true}) {
      stage play({.name = "",
                  .programs = {{acquire, drop}, {acquire, abandon, drop}, {{user_action::kind::close}}},
                  .done_before = {1, 0, 0},
                  .thread_of = {-1, 0, 0}});
      play.next("c1 acquires");
      play.next("c0 drops");
      for (int i = 0; i < before_close; ++i) {
        for (const char* way : {"c0 ->", "c0 <-"}) {
          if (play.possible(way)) {
            play.next(way);
          }
        }
      }
      if (cancels && play.possible("c1 abandons")) {  // else it is granted
        play.next("c1 abandons");
      }
      play.next("closes");
      play.settle();
      ASSERT_EQ(play.lines_with("c1 granted") + play.lines_with("c1 not granted"), 1) << play.timeline();
      play.finish();
      ASSERT_FALSE(::testing::Test::HasFailure()) << before_close << " " << cancels;
    }
  }
}

}  // namespace
}  // namespace zklock::sim
