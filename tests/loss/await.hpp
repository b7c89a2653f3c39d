#pragma once

#include <chrono>
#include <concepts>
#include <stdexcept>
#include <string>

#include "tests/support/eventually.hpp"

namespace zklock::test {

/// How long anything is waited for that has to come.
inline constexpr std::chrono::seconds patience_of_a_trial{60};

/// Throws std::runtime_error when it does not come.
template <std::predicate Condition>
void await(Condition holds, const std::string& what) {
  if (!test_support::eventually(holds, patience_of_a_trial)) {
    throw std::runtime_error("in vain: " + what);
  }
}

/// Does it again while it throws std::runtime_error: servers that have just been tampered with may cost an onlooker an answer.
template <std::invocable Action>
void insist_on(Action action) {
  std::string why;
  const auto done = [&] {
    try {
      action();
      return true;
    } catch (const std::runtime_error& failure) {
      why = failure.what();
      return false;
    }
  };
  if (!test_support::eventually(done, patience_of_a_trial)) {
    throw std::runtime_error(why);
  }
}

}  // namespace zklock::test
