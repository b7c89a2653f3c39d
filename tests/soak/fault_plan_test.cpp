#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/soak/fault_plan.hpp"

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;

auto as_tuple(const planned_fault& one) { return std::tuple(one.kind, one.at, one.lasts, one.choice); }

TEST(a_plan, is_the_same_for_the_same_seed_and_round_alone) {
  const auto one = plan_round(7, 3, 60s);
  const auto same = plan_round(7, 3, 60s);
  const auto alike = [](const planned_fault& a, const planned_fault& b) { return as_tuple(a) == as_tuple(b); };
  EXPECT_TRUE(std::equal(one.begin(), one.end(), same.begin(), same.end(), alike));
  for (const auto& other : {plan_round(8, 3, 60s), plan_round(7, 4, 60s)}) {
    EXPECT_FALSE(std::equal(one.begin(), one.end(), other.begin(), other.end(), alike));
  }
}

TEST(a_plan, has_every_kind_of_fault_and_leaves_some_quiet) {
  for (const auto length : {1s, 20s, 60s}) {
    std::set<fault_kind> kinds;
    for (const planned_fault& one : plan_round(1, 1, length)) {
      kinds.insert(one.kind);
      EXPECT_FALSE(to_string(one.kind).empty());
      const double part = std::chrono::duration<double>(one.at) / length;
      EXPECT_TRUE(part <= 0.35 || (part >= 0.5 && part <= 0.85)) << part;
    }
    EXPECT_EQ(kinds.size(), fault_kinds);
  }
}

}  // namespace
}  // namespace zklock::soak
