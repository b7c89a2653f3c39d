#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "recipes/local_deadline.hpp"

namespace zklock::engine {

using recipes::instant;

/// When to send again what fails although there is a connection (a throttled request, or a failure that came late): after as
/// long a time as it has been failing, so that the pause doubles. It begins with T/500, 5 ms at the least, and ends with T/12.
class retry_timer {
 public:
  /// It has failed (again). A pause that has begun goes on.
  void failed(instant now, std::chrono::nanoseconds session_timeout) {
    const instant shortest = std::max<instant>(session_timeout / tries_per_timeout_max, pause_min);
    const instant longest = std::max<instant>(session_timeout / tries_per_timeout_min, shortest);
    if (due_ == never) {
      failing_since_ = failing_since_ == never ? now : failing_since_;
      due_ = now + std::clamp(now - failing_since_, shortest, longest);
    }
  }
  /// It has gone well: the next pause is the shortest.
  void went_well() noexcept { failing_since_ = never; }
  /// It is sent anew for another reason. The next pause is longer than the one before, as if this one were over.
  void cancel() noexcept { due_ = never; }
  /// It is sent on another connection.
  void start_anew() noexcept { *this = {}; }
  /// Whether the pause is over: true once.
  [[nodiscard]] bool fired(instant now) noexcept {
    const bool over = due_ <= now;
    if (over) {
      cancel();
    }
    return over;
  }
  [[nodiscard]] std::optional<instant> due() const noexcept { return due_ == never ? std::nullopt : std::optional(due_); }

 private:
  static constexpr int tries_per_timeout_max = 500;
  static constexpr int tries_per_timeout_min = 12;
  static constexpr instant pause_min = std::chrono::milliseconds(5);

  static constexpr instant never = instant::max();

  instant failing_since_ = never;  ///< never: it went well
  instant due_ = never;
};

}  // namespace zklock::engine
