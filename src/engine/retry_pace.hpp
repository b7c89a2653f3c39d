#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "recipes/local_deadline.hpp"

namespace zklock::detail {

using recipes::instant;

/// When to send again what fails although there is a connection (a throttled request, or a failure that came late): after as
/// long a time as it has been failing, so that the pause doubles. It begins with T/500, 5 ms at the least, and ends with T/12.
class retry_pace {
 public:
  /// It has failed (again).
  [[nodiscard]] instant next_try(instant now, std::chrono::nanoseconds session_timeout) {
    const instant shortest = std::max<instant>(session_timeout / tries_per_timeout_max, pause_min);
    const instant longest = std::max<instant>(session_timeout / tries_per_timeout_min, shortest);
    failing_since_ = failing_since_.value_or(now);
    return now + std::clamp(now - *failing_since_, shortest, longest);
  }
  /// It has gone well, or is sent on another connection: the next pause is the shortest.
  void start_anew() noexcept { failing_since_.reset(); }

 private:
  static constexpr int tries_per_timeout_max = 500;
  static constexpr int tries_per_timeout_min = 12;
  static constexpr instant pause_min = std::chrono::milliseconds(5);

  std::optional<instant> failing_since_;
};

}  // namespace zklock::detail
