#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "recipes/contender_name.hpp"
#include "tests/support/scripted_port.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// Words for tests of a session that contends in Curator's layout.
namespace zklock::test_support::curator {

using recipes::contender_kind;
using test_support::answer;
using test_support::answer_until_answered;
using test_support::expect_nothing_left;
using test_support::hold_at_once;
using test_support::own_nodes;
using test_support::pass_heartbeat;
using test_support::reconnect;
using test_support::release_all;

inline constexpr recipes::acquire_spec mutex{contender_kind::mutex, 1, 0, false, recipes::layout::curator};
inline constexpr recipes::acquire_spec reading{contender_kind::read, 1, 0, false, recipes::layout::curator};
inline constexpr recipes::acquire_spec writing{contender_kind::write, 1, 0, false, recipes::layout::curator};
inline constexpr recipes::acquire_spec one_of_three{contender_kind::permit, 1, 3, false, recipes::layout::curator};
inline constexpr recipes::acquire_spec two_of_three{contender_kind::permit, 2, 3, false, recipes::layout::curator};

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

/// What is in the way: the mutex of a contender before ours, or leases, two of three.
enum class busy_with { nothing, their_mutex, their_leases };

/// Connected, at a path whose lock nodes are there.
inline std::shared_ptr<asked_lock> ask_for(scripted_port& port, const recipes::acquire_spec& leases,
                                           busy_with others = busy_with::nothing) {
  make_lock_nodes(port);
  if (others == busy_with::their_mutex) {
    port.others_create(mutex_of_others);
  } else if (others == busy_with::their_leases) {
    port.others_create(held_lease(1));
    port.others_create(held_lease(2));
  }
  port.connect();
  return port.acquire_as(leases, "/s");
}

/// For two, behind what is in the way.
inline std::shared_ptr<asked_lock> wait_behind(scripted_port& port, busy_with others) {
  auto lock = ask_for(port, two_of_three, others);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  return lock;
}

}  // namespace zklock::test_support::curator
