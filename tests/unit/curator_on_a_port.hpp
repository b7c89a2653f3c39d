#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/contender_name.hpp"
#include "tests/support/scripted_port.hpp"

/// Words for tests of a session that contends in Curator's layout.
namespace zklock::test_support::curator {

using recipes::contender_kind;

inline constexpr recipes::claim mutex{contender_kind::mutex, 1, 0, false, recipes::layout::curator};
inline constexpr recipes::claim reading{contender_kind::read, 1, 0, false, recipes::layout::curator};
inline constexpr recipes::claim writing{contender_kind::write, 1, 0, false, recipes::layout::curator};
inline constexpr recipes::claim one_of_three{contender_kind::permit, 1, 3, false, recipes::layout::curator};
inline constexpr recipes::claim two_of_three{contender_kind::permit, 2, 3, false, recipes::layout::curator};

/// As contender number `number` of the port begins its name.
inline std::string owner(int number) {
  char text[48];
  std::snprintf(text, sizeof text, "_c_00000000-0000-4abc-8000-%012x-", static_cast<unsigned>(number));
  return text;
}
inline std::string others_prefix(int number) {
  return "_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b1" + std::to_string(number) + "-";
}
inline std::string held_lease(int number) {
  return "/s/leases/" + others_prefix(number) + "lease-000000000" + std::to_string(number);
}
inline const std::string mutex_of_others = "/s/locks/" + others_prefix(1) + "lock-0000000001";

inline void make_lock_nodes(scripted_port& port) {
  for (const char* const node : {"/s", "/s/locks", "/s/leases"}) {
    port.others_create(node);
  }
}

inline void answer(scripted_port& port, std::size_t several) {
  for (std::size_t one = 0; one < several; ++one) {
    port.answer();
  }
}

/// Two of three leases are held by others: one is left, two are wanted.
inline std::shared_ptr<asked_lock> wait_for_leases(scripted_port& port, std::optional<detail::instant> until = {}) {
  make_lock_nodes(port);
  port.others_create(held_lease(1));
  port.others_create(held_lease(2));
  port.connect();
  auto lock = port.acquire_as(two_of_three, "/s", until);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  return lock;
}

inline std::shared_ptr<asked_lock> wait_for_mutex(scripted_port& port, std::optional<detail::instant> until = {}) {
  make_lock_nodes(port);
  port.others_create(mutex_of_others);
  port.connect();
  auto lock = port.acquire_as(two_of_three, "/s", until);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  return lock;
}

inline std::shared_ptr<asked_lock> hold_two(scripted_port& port) {
  make_lock_nodes(port);
  port.connect();
  auto lock = port.acquire_as(two_of_three, "/s");
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  return lock;
}

/// What giving a hold of several nodes back does.
inline std::vector<std::shared_ptr<asked_release>> release_all(scripted_port& port,
                                                               const std::shared_ptr<asked_lock>& lock) {
  lock->hold->end_by_release(port.now);
  std::vector<std::shared_ptr<asked_release>> released;
  for (const auto& node : lock->hold->parts()) {
    node->end_by_release(port.now);
    released.push_back(port.release(node));
  }
  return released;
}

inline std::size_t own_nodes(const scripted_port& port) {
  return static_cast<std::size_t>(std::count_if(port.nodes.begin(), port.nodes.end(), [](const std::string& node) {
    return node.find("-4abc-") != std::string::npos || node.find("0000000000000abc") != std::string::npos;
  }));
}

inline void expect_nothing_left(const scripted_port& port) {
  EXPECT_EQ(own_nodes(port), 0U);
  EXPECT_EQ(port.core.contender_count(), 0U);
  EXPECT_EQ(port.core.watch_count(), 0U);
  EXPECT_TRUE(port.watches.empty());
}

}  // namespace zklock::test_support::curator
