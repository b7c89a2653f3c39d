#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/recipes/all_codes.hpp"
#include "tests/unit/recipes/contender_world.hpp"

/// Each way through the machine, replayed with each return code at each step in turn.
namespace zklock::recipes::words {
namespace {

std::vector<scenario> happy_paths() {
  return {{.name = "alone"},
          {.name = "the first use of the path", .lock_node_there = false},
          {.name = "behind one", .before = {nearest_name}},
          {.name = "behind two", .before = {farther_name, nearest_name}},
          {.name = "one try, free", .one_try = true},
          {.name = "behind two, for longer", .before = {farther_name, nearest_name}, .waits_long = true},
          {.name = "followed by one of its session", .followed = true},
          {.name = "behind two, followed", .before = {farther_name, nearest_name}, .followed = true},
          {.name = "followed by one that is removed", .followed = true, .follower_gone = true}};
}

std::vector<scenario> ways_out() {
  std::vector<scenario> several{
      {.name = "one try, taken", .before = {nearest_name}, .one_try = true},
      {.name = "limit passes while waiting", .before = {nearest_name}, .stop_when_waiting = true}};
  for (std::size_t step = 0; step < 6; ++step) {
    several.push_back(
        {.name = "stopped before answer " + std::to_string(step), .before = {nearest_name}, .stop_at = step});
    several.push_back({.name = "stopped before answer " + std::to_string(step) + ", first use",
                       .lock_node_there = false,
                       .stop_at = step});
  }
  return several;
}

/// All failures of one step.
std::vector<failure> failures_at(std::size_t step) {
  std::vector<failure> several;
  for (const code with : all_codes) {
    if (with == code::ok) {
      continue;
    }
    for (const bool applied : {false, true}) {
      for (const bool cut : {false, true}) {
        const bool unknown = classify(with) == outcome::unknown;
        if ((!applied && !cut) || unknown) {
          several.push_back({step, with, applied, cut});
        }
      }
    }
  }
  return several;
}

std::size_t steps_of(const scenario& plays) {
  contender_world world(plays, std::nullopt);
  world.run();
  EXPECT_EQ(world.machine().life(), node_life::state::finished) << world.story();
  return world.steps();
}

/// Replays with each failure at each step, and hands each run to `check`.
template <class Check>
std::size_t replay(const std::vector<scenario>& several, Check check) {
  std::size_t runs = 0;
  for (const scenario& plays : several) {
    const std::size_t steps = steps_of(plays);
    for (std::size_t step = 0; step < steps; ++step) {
      for (const failure& fails : failures_at(step)) {
        SCOPED_TRACE(std::string(name(fails.with)) + " at step " + std::to_string(step) +
                     (fails.applied ? ", applied" : "") + (fails.cut ? ", cut" : ""));
        contender_world world(plays, fails);
        world.run();
        SCOPED_TRACE(world.story());
        check(world, fails);
        ++runs;
      }
    }
  }
  return runs;
}

bool removal_was_forbidden(const contender_world& world, const failure& fails) {
  return world.failed_request() == action::remove_own && classify(fails.with) == outcome::not_done;
}

void expect_an_end_in_order(const contender_world& world, const failure&) {
  ASSERT_EQ(world.machine().life(), node_life::state::finished) << "stuck";
  EXPECT_EQ(world.count(action::finish), 1U);
  EXPECT_EQ(world.log().back(), action::finish) << "finish comes last";
  const std::size_t answers =
      world.count(action::grant) + world.count(action::refuse) + world.count(action::start_over);
  EXPECT_EQ(answers, 1U) << "answered once";
  EXPECT_LE(world.count(action::lose), world.count(action::grant));
}

void expect_nothing_left(const contender_world& world, const failure& fails) {
  EXPECT_LE(world.most_own_nodes(), 1U) << "two nodes with one id";
  EXPECT_FALSE(world.watches()) << "a watch is left";
  if (removal_was_forbidden(world, fails)) {
    const bool of_successor = fails.with == code::no_node && world.count(action::remove_own) > 1;
    EXPECT_EQ(world.machine().refused_with(), of_successor ? code::ok : fails.with);
  } else {
    EXPECT_EQ(world.own_nodes(), 0U) << "an orphan";
  }
}

TEST(contender_failure, the_happy_paths_take_the_round_trips_that_they_should) {
  std::vector<std::size_t> steps;
  for (const scenario& plays : happy_paths()) {
    steps.push_back(steps_of(plays));
  }
  // create, list, [watch, per hand-over list and watch], watch own (at once, later, or as a holder), remove
  EXPECT_EQ(steps, (std::vector<std::size_t>{4, 7, 5, 7, 4, 7, 4, 7, 5}));
}

TEST(contender_failure, f03_each_code_at_each_step_ends_in_order_and_is_answered_once) {
  const std::size_t runs = replay(happy_paths(), expect_an_end_in_order) + replay(ways_out(), expect_an_end_in_order);
  EXPECT_GT(runs, 1500U);
  RecordProperty("runs", static_cast<int>(runs));
}

TEST(contender_failure, f03_each_code_at_each_step_leaves_no_node_and_no_watch) {
  EXPECT_GT(replay(happy_paths(), expect_nothing_left) + replay(ways_out(), expect_nothing_left), 1500U);
}

TEST(contender_failure, f05_an_unknown_or_repeatable_outcome_at_any_step_still_leads_to_the_grant) {
  replay(happy_paths(), [](const contender_world& world, const failure& fails) {
    const outcome meaning = classify(fails.with);
    if (meaning == outcome::unknown || meaning == outcome::retry) {
      EXPECT_EQ(world.count(action::grant), 1U);
      EXPECT_EQ(world.count(action::lose), 0U);
    }
  });
}

TEST(contender_failure, the_turn_is_passed_on_only_if_both_nodes_stood_at_the_removal) {
  std::size_t passed = 0;
  replay(happy_paths(), [&passed](const contender_world& world, const failure&) {
    EXPECT_EQ(world.count(action::pass_on), world.removed_before_follower() ? 1U : 0U);
    EXPECT_LE(world.count(action::pass_on), world.count(action::grant));
    passed += world.count(action::pass_on);
  });
  EXPECT_GT(passed, 100U);
}

TEST(contender_failure, a_session_that_ends_at_any_step_is_told_as_such) {
  replay(happy_paths(), [](const contender_world& world, const failure&) {
    if (world.session_over()) {
      const bool was_granted = world.count(action::grant) == 1;
      const bool gave_back = world.failed_request() == action::remove_own;
      EXPECT_EQ(world.count(action::start_over), was_granted ? 0U : 1U);
      EXPECT_EQ(world.count(action::lose), was_granted && !gave_back ? 1U : 0U);
    }
  });
}

TEST(contender_failure, a_refusal_before_the_grant_carries_the_servers_code) {
  replay(happy_paths(), [](const contender_world& world, const failure& fails) {
    if (world.count(action::refuse) == 1 && world.machine().why_refused() == refusal::server_error) {
      EXPECT_EQ(world.machine().refused_with(), fails.with);
      EXPECT_EQ(classify(fails.with), outcome::not_done);
    }
  });
}

TEST(contender_failure, f29_a_contender_that_was_stopped_is_not_granted_afterwards) {
  replay(ways_out(), [](const contender_world& world, const failure&) {
    const auto& log = world.log();
    const auto refused = std::find(log.begin(), log.end(), action::refuse);
    EXPECT_EQ(std::find(refused, log.end(), action::grant), log.end());
  });
}

}  // namespace
}  // namespace zklock::recipes::words
