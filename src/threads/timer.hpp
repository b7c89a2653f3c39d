#pragma once

#include <atomic>

#include "recipes/local_deadline.hpp"

namespace zklock::detail {

/// One alarm on CLOCK_BOOTTIME, a clock that goes on while the machine sleeps: an alarm that falls due in its sleep rings
/// when it wakes. Any thread may set it; one thread waits.
class timer {
 public:
  timer();
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  ~timer();

  /// Moves the alarm. A ring() that has not been heard yet stands.
  void set(recipes::instant when) noexcept;
  /// At once.
  void ring() noexcept;
  /// Until the alarm rings.
  void wait() noexcept;

 private:
  void arm(recipes::instant when) noexcept;

  int descriptor_;
  std::atomic<bool> ringing_{false};
};

}  // namespace zklock::detail
