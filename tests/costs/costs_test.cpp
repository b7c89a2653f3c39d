#include <gtest/gtest.h>

#include <algorithm>

#include "tests/costs/situation.hpp"

namespace zklock::costs {
namespace {

using namespace client::request;

cost of(std::string_view recipe, std::string_view where) {
  const std::vector<situation> all = situations();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const situation& one) { return one.recipe == recipe && one.where == where; });
  EXPECT_NE(found, all.end()) << recipe << " " << where;
  return found == all.end() ? cost{} : measure(*found);
}

TEST(costs, a_free_lock_takes_one_round_trip_also_for_several_at_once) {
  for (const char* const recipe : {"mutex", "reader", "writer", "1 permit of 1", "1 permit of 3"}) {
    EXPECT_EQ(of(recipe, "alone").to_enter.round_trips, 1U) << recipe;
    EXPECT_EQ(of(recipe, "alone").to_enter.sent<create>(), 1U) << recipe;
    EXPECT_EQ(of(recipe, "alone").marks, 0U) << recipe;
  }
  const cost several = of("multi-lock of 3 mutexes", "alone");
  EXPECT_EQ(several.to_enter.round_trips, 1U);
  EXPECT_EQ(several.to_enter.sent<multi>(), 1U);
  EXPECT_EQ(several.to_enter.sent<create>(), 0U);
}

TEST(costs, a_lock_that_is_taken_again_alone_takes_one_request_and_its_removal) {
  for (const char* const recipe : {"mutex", "reader", "writer"}) {
    const cost second = of(recipe, "alone, the second time in its session");
    EXPECT_EQ(second.to_enter.sent_in_all(), 2U) << recipe;
    EXPECT_EQ(second.to_enter.sent<exists>(), 1U) << recipe;
    const cost third = of(recipe, "alone, from the third time on");
    EXPECT_EQ(third.to_enter.sent_in_all(), 1U) << recipe;
    EXPECT_EQ(third.to_enter.round_trips, 1U) << recipe;
    EXPECT_EQ(third.to_release.sent_in_all(), 1U) << recipe;
  }
}

TEST(costs, a_held_lock_takes_two_round_trips_and_then_an_event) {
  for (const situation& one : situations()) {
    const cost found = measure(one);
    if (!found.at_once) {
      EXPECT_EQ(found.to_enter.round_trips, 2U) << one.recipe << " " << one.where;
      EXPECT_GE(found.to_wait.wake_ups, 1U) << one.recipe << " " << one.where;
    }
  }
}

TEST(costs, the_next_in_line_needs_no_request_once_the_only_one_before_it_has_gone) {
  for (const char* const recipe : {"mutex", "writer", "multi-lock of 3 mutexes"}) {
    EXPECT_EQ(of(recipe, "behind one").to_wait.round_trips, 0U) << recipe;
    EXPECT_EQ(of(recipe, "behind one").to_wait.sent<list>(), 0U) << recipe;
  }
  EXPECT_EQ(of("reader", "behind one writer").to_wait.round_trips, 0U);
}

TEST(costs, a_waiter_watches_one_node_besides_its_own) {
  for (const situation& one : situations()) {
    const cost found = measure(one);
    if (!found.at_once) {
      const std::size_t parts = one.newcomer.size();
      EXPECT_LE(found.watches, 2 * parts) << one.recipe << " " << one.where;
    }
  }
}

TEST(costs, f23_f57_a_release_wakes_those_that_it_lets_in_and_at_the_most_one_more) {
  for (const situation& one : situations()) {
    EXPECT_LE(measure(one).woken_by_a_release, 1U) << one.recipe << " " << one.where;
  }
  EXPECT_LE(of("writer", "behind ten readers").to_wait.wake_ups, 10U) << "at most once for each reader";
}

TEST(costs, release_takes_one_round_trip) {
  for (const situation& one : situations()) {
    const cost found = measure(one);
    EXPECT_EQ(found.to_release.round_trips, 1U) << one.recipe << " " << one.where;
    EXPECT_EQ(found.to_release.sent<remove>(), one.newcomer.size()) << one.recipe << " " << one.where;
  }
}

}  // namespace
}  // namespace zklock::costs
