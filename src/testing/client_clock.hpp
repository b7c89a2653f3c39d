#pragma once

#include <chrono>

#include "src/testing/step.hpp"

namespace zklock::testing {

/// When a handle last sent and heard something, and what is due for that: a ping after a third of the timeout, the end
/// of the connection after two thirds. close() is given 1.5 s for its answer.
class client_clock {
 public:
  void sent(instant now) noexcept { sent_ = now; }
  void heard(instant now) noexcept { heard_ = now; }
  void close_begun(instant now) noexcept { close_by_ = now + std::chrono::milliseconds(1500); }

  [[nodiscard]] instant ping_at(std::chrono::milliseconds timeout) const noexcept {
    return sent_ + instant(timeout) / 3;
  }
  [[nodiscard]] instant timeout_at(std::chrono::milliseconds timeout) const noexcept {
    return heard_ + instant(timeout) * 2 / 3;
  }
  [[nodiscard]] instant close_by() const noexcept { return close_by_; }

 private:
  instant sent_{0};
  instant heard_{0};
  instant close_by_{0};
};

}  // namespace zklock::testing
