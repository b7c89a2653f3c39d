#pragma once

#include <chrono>
#include <concepts>
#include <thread>

namespace zklock::test_support {

/// Waits until the condition holds, and says whether it did before the limit: generous, since it only costs a failing
/// test time. For what cannot be waited for in another way.
template <std::predicate Condition>
[[nodiscard]] bool eventually(Condition holds, std::chrono::milliseconds limit = std::chrono::seconds{30}) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

}  // namespace zklock::test_support
