#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>

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

namespace detail {

/// For a wait: at least 0, also of what is no number, and at most 95 years.
template <class Rep, class Period>
[[nodiscard]] std::chrono::nanoseconds bounded_time(const std::chrono::duration<Rep, Period>& time) noexcept {
  const double seconds = std::chrono::duration<double>(time).count();
  constexpr double most = 3e9;
  const double bounded = !(seconds > 0) ? 0 : seconds < most ? seconds : most;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * bounded));
}

}  // namespace detail
}  // namespace zklock
