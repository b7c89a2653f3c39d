#pragma once

#include <chrono>
#include <utility>

#include "src/testing/step.hpp"

namespace zklock::testing {

/// When the leader asks its followers which sessions they have heard of: each half tick, and later on demand.
class leader_ping {
 public:
  explicit leader_ping(std::chrono::milliseconds tick) noexcept : period_(instant(tick) / 2), next_at_(period_) {}

  [[nodiscard]] instant next_at() const noexcept { return next_at_; }
  [[nodiscard]] bool is_late() const noexcept { return is_late_; }

  void schedule(instant now) noexcept {
    next_at_ = now + period_;
    is_late_ = false;
  }
  /// Once a ping.
  void delay(instant by) noexcept {
    if (!std::exchange(is_late_, true)) next_at_ += by;
  }

 private:
  instant period_;
  instant next_at_;
  bool is_late_ = false;
};

}  // namespace zklock::testing
