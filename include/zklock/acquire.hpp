#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <utility>

#include <zklock/grant.hpp>

namespace zklock {
namespace detail {

/// How long an acquisition may take.
struct wait_limit {
  enum class kind : std::uint8_t { none, one_try, time };
  kind is = kind::none;
  std::chrono::nanoseconds time{0};

  /// Zero, negative: one try. More than some hundred years, or max(): no limit.
  template <class Rep, class Period>
  static wait_limit from_duration(const std::chrono::duration<Rep, Period>& duration) {
    const double seconds = std::chrono::duration<double>(duration).count();
    if (!(seconds > 0)) {
      return {kind::one_try, {}};
    }
    if (seconds > 3e9) {
      return {kind::none, {}};
    }
    return {kind::time, std::chrono::ceil<std::chrono::nanoseconds>(duration)};
  }

  /// Compared before it is subtracted: the difference of two time points may be more than either of their types holds.
  template <class Clock, class Duration>
  static wait_limit from_time_point(const std::chrono::time_point<Clock, Duration>& point) {
    using seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const double ahead = seconds(point.time_since_epoch()).count() - seconds(now.time_since_epoch()).count();
    constexpr double near = 1e6;  // from here on doubles are exact enough for an answer
    return ahead > -near && ahead < near ? from_duration(point - now) : from_duration(seconds(ahead));
  }
};

}  // namespace detail

/// The eight ways to acquire, the same for every lockable thing. `Lockable` has one function behind them, which throws
/// when `ec` is null: `grant do_acquire(detail::wait_limit, std::error_code* ec, std::stop_token)`.
///
/// | outcome                                          | what the caller sees                                      |
/// |--------------------------------------------------|-----------------------------------------------------------|
/// | granted                                          | a grant                                                   |
/// | not in time, and the queue was seen              | an empty grant, no error (the forms with a limit)         |
/// | not in time, and no server has answered          | errc::not_connected; also try_acquire() while suspended   |
/// | stop requested, or the lock destroyed            | errc::abandoned                                           |
/// | the session was closed                           | errc::session_closed                                      |
/// | an operator forbids, the path is another recipe's … | that error's code                                      |
///
/// *Errors*: the forms with a leading `std::error_code&` set it and return an empty grant; the others throw
/// zklock::error. Either way no contender is left behind: its removal goes on until it is gone.
/// *Time*: the limit covers everything, connecting included; steady time only (a time point of another clock is
/// converted once, at the call). Zero, negative or past: one try. `max()`: no limit.
/// *Cancellation*: a stop request ends the wait at once.
template <class Lockable>
class acquirable {
 public:
  /// Waits until granted.
  [[nodiscard]] grant acquire(std::stop_token stop = {}) { return throwing({}, std::move(stop)); }
  [[nodiscard]] grant acquire(std::error_code& ec, std::stop_token stop = {}) {
    return self().do_acquire({}, &ec, std::move(stop));
  }

  /// One try: waits behind no other contender. Takes at the longest lock_options::try_limit, also where it waits for the
  /// answer to another call of its owner.
  [[nodiscard]] grant try_acquire() { return throwing({detail::wait_limit::kind::one_try, {}}, {}); }
  [[nodiscard]] grant try_acquire(std::error_code& ec) {
    return self().do_acquire({detail::wait_limit::kind::one_try, {}}, &ec, {});
  }

  template <class Rep, class Period>
  [[nodiscard]] grant try_acquire_for(const std::chrono::duration<Rep, Period>& limit, std::stop_token stop = {}) {
    return throwing(detail::wait_limit::from_duration(limit), std::move(stop));
  }
  template <class Rep, class Period>
  [[nodiscard]] grant try_acquire_for(std::error_code& ec, const std::chrono::duration<Rep, Period>& limit,
                                      std::stop_token stop = {}) {
    return self().do_acquire(detail::wait_limit::from_duration(limit), &ec, std::move(stop));
  }

  template <class Clock, class Duration>
  [[nodiscard]] grant try_acquire_until(const std::chrono::time_point<Clock, Duration>& limit,
                                        std::stop_token stop = {}) {
    return throwing(detail::wait_limit::from_time_point(limit), std::move(stop));
  }
  template <class Clock, class Duration>
  [[nodiscard]] grant try_acquire_until(std::error_code& ec, const std::chrono::time_point<Clock, Duration>& limit,
                                        std::stop_token stop = {}) {
    return self().do_acquire(detail::wait_limit::from_time_point(limit), &ec, std::move(stop));
  }

 protected:
  acquirable() = default;
  ~acquirable() = default;

 private:
  Lockable& self() noexcept { return static_cast<Lockable&>(*this); }
  grant throwing(detail::wait_limit limit, std::stop_token stop) {
    return self().do_acquire(limit, nullptr, std::move(stop));
  }
};

}  // namespace zklock
