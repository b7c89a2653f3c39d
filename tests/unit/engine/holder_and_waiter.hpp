#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/unit/operations/on_a_port.hpp"

/// What most sessions have when they end: a holder of /l and a waiter at /m.
namespace zklock::test_support {

struct holder_and_waiter {
  std::shared_ptr<asked_lock> holder;
  std::shared_ptr<asked_lock> waiter;
};

inline holder_and_waiter hold_and_wait(scripted_port& port) {
  port.others_create("/m/x-lock-0000000001");
  port.connect();
  holder_and_waiter both{port.acquire("/l"), port.acquire("/m")};
  port.answer_all();
  if (port.adopted()) {
    answer_until_answered(port, *both.holder);
  }
  EXPECT_TRUE(both.holder->hold);
  EXPECT_EQ(both.waiter->answers, 0);
  return both;
}

/// The states of the session that its user was told, the first one first.
inline std::vector<session_state> states_of(const scripted_port& port) {
  std::vector<session_state> states;
  for (const auto& [state, fresh] : port.states) {
    states.push_back(state);
  }
  return states;
}

}  // namespace zklock::test_support
