#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>

namespace zklock {

/// A steady clock that also runs while the machine sleeps, unlike std::chrono::steady_clock. Time points count from the
/// boot (Linux CLOCK_BOOTTIME).
struct ZKLOCK_EXPORT boot_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<boot_clock>;
  static constexpr bool is_steady = true;

  [[nodiscard]] static time_point now() noexcept;
};

}  // namespace zklock
