#pragma once

#include <chrono>
#include <concepts>
#include <cstdlib>
#include <thread>

namespace zklock::test_support {

/// Less in the environment, where a test is to fail.
inline std::chrono::milliseconds usual_patience() {
  const char* const said = std::getenv("ZKLOCK_TEST_PATIENCE_MS");
  return std::chrono::milliseconds(said != nullptr ? std::atol(said) : 30'000);
}

/// Waits until the condition holds, and says whether it did before the limit: generous, since it only costs a failing
/// test time. For what cannot be waited for in another way.
template <std::predicate Condition>
[[nodiscard]] bool eventually(Condition holds, std::chrono::milliseconds limit = usual_patience()) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

}  // namespace zklock::test_support
