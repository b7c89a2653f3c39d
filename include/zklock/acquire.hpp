#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <utility>

#include <zklock/grant.hpp>

namespace zklock {

struct participant;

namespace detail {

/// How long an acquisition may take.
struct time_limit {
  enum class kind : std::uint8_t { none, one_try, time };
  kind is = kind::none;
  std::chrono::nanoseconds time{0};
  participant* blocked_by = nullptr;  ///< of one try: to be told

  static constexpr time_limit one_try(participant* blocked_by = nullptr) noexcept {
    return {kind::one_try, {}, blocked_by};
  }

  /// Zero or negative: one try. More than 95 years, or max(): no limit.
  template <class Rep, class Period>
  static time_limit from_duration(const std::chrono::duration<Rep, Period>& duration) {
    const double seconds = std::chrono::duration<double>(duration).count();
    if (!(seconds > 0)) {
      return one_try();
    }
    if (seconds > 3e9 || duration == std::chrono::duration<Rep, Period>::max()) {
      return {kind::none, {}};
    }
    return {kind::time, std::chrono::ceil<std::chrono::nanoseconds>(duration)};
  }

  /// Estimates the time to `point` first: the exact difference from a far `point` may overflow its type.
  template <class Clock, class Duration>
  static time_limit from_time_point(const std::chrono::time_point<Clock, Duration>& point) {
    using seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const double ahead = seconds(point.time_since_epoch()).count() - seconds(now.time_since_epoch()).count();
    constexpr double near = 1e6;  // seconds; for a greater distance the estimate is exact enough
    return ahead > -near && ahead < near ? from_duration(point - now) : from_duration(seconds(ahead));
  }
};

}  // namespace detail

/// The ways to acquire, the same for every lock. Each form has two optional last parameters: first a std::stop_token,
/// then a std::error_code&.
///
/// | outcome                                        | what the caller gets                                    |
/// |------------------------------------------------|---------------------------------------------------------|
/// | granted                                        | a grant                                                 |
/// | not in time, and a server answered this call   | an empty grant, no error                                |
/// | not in time, and no server answered this call  | errc::not_connected                                     |
/// | try_acquire() in session_state::suspended      | errc::not_connected                                     |
/// | stop requested, or the lock object destroyed   | errc::abandoned, at once                                |
/// | the session was closed                         | errc::session_closed                                    |
/// | refused for another reason                     | the code in docs/guide/errors.md                        |
///
/// With `ec`, an error is stored in `ec`, and the grant is empty; without `ec` it is thrown as zklock::error. A time
/// limit covers the whole call, connecting included. Zero, a negative duration or a past time point: one try. `max()`:
/// no limit. A stop request does not prevent a re-entry. In two cases a call asks no server but may get an empty grant:
///
/// - An owner's call, except for permits, first waits for the return of the owner's earlier call on this lock object.
///   If the time limit ends in this wait, the result is an empty grant if the session is connected at that moment,
///   otherwise errc::not_connected.
/// - With local hand-over a call waits behind the other acquisitions of its lock object. If the time limit ends in this
///   wait, the result is an empty grant if a server has answered the lock object's contender, otherwise
///   errc::not_connected. One try does not wait there: it gets an empty grant, except in session_state::suspended.
template <class Lockable>
class acquirable {
 public:
  /// Waits until the lock is granted.
  [[nodiscard]] grant acquire(std::stop_token stop = {}) { return call({}, nullptr, std::move(stop)); }
  [[nodiscard]] grant acquire(std::error_code& ec) { return call({}, &ec, {}); }
  [[nodiscard]] grant acquire(std::stop_token stop, std::error_code& ec) { return call({}, &ec, std::move(stop)); }

  /// One try: waits behind no other contender. Takes at most lock_options::try_time_limit.
  ///
  /// Behind a try that has failed, the next one asks with one read whether what blocked it is still there; an exclusive hold of
  /// the session's own is known without a request. A lock that is busy costs no write then. Such a "busy" is as old as what the
  /// server that was asked has seen: no older than a release() of this process, but perhaps older than another process's.
  /// "Granted" is always current.
  [[nodiscard]] grant try_acquire(std::stop_token stop = {}) {
    return call(detail::time_limit::one_try(), nullptr, std::move(stop));
  }
  [[nodiscard]] grant try_acquire(std::error_code& ec) { return call(detail::time_limit::one_try(), &ec, {}); }
  [[nodiscard]] grant try_acquire(std::stop_token stop, std::error_code& ec) {
    return call(detail::time_limit::one_try(), &ec, std::move(stop));
  }

  /// The same, and says who is in the way: `who` is that participant (<zklock/queue.hpp>: label, host, pid, token, node; `state` is
  /// `waiting` where only a reader's writer is known). Read with one request more, unless the try knows it. Empty if the try
  /// is granted, if no single one blocks (permits; a call that waits on this lock object, with hand_over or keep), or if it has gone
  /// meanwhile.
  [[nodiscard]] grant try_acquire(participant& who, std::stop_token stop = {}) {
    return call(detail::time_limit::one_try(&who), nullptr, std::move(stop));
  }
  [[nodiscard]] grant try_acquire(participant& who, std::error_code& ec) {
    return call(detail::time_limit::one_try(&who), &ec, {});
  }

  template <class Rep, class Period>
  [[nodiscard]] grant try_acquire_for(const std::chrono::duration<Rep, Period>& time, std::stop_token stop = {}) {
    return call(detail::time_limit::from_duration(time), nullptr, std::move(stop));
  }
  template <class Rep, class Period>
  [[nodiscard]] grant try_acquire_for(const std::chrono::duration<Rep, Period>& time, std::error_code& ec) {
    return call(detail::time_limit::from_duration(time), &ec, {});
  }
  template <class Rep, class Period>
  [[nodiscard]] grant try_acquire_for(const std::chrono::duration<Rep, Period>& time, std::stop_token stop,
                                      std::error_code& ec) {
    return call(detail::time_limit::from_duration(time), &ec, std::move(stop));
  }

  template <class Clock, class Duration>
  [[nodiscard]] grant try_acquire_until(const std::chrono::time_point<Clock, Duration>& end,
                                        std::stop_token stop = {}) {
    return call(detail::time_limit::from_time_point(end), nullptr, std::move(stop));
  }
  template <class Clock, class Duration>
  [[nodiscard]] grant try_acquire_until(const std::chrono::time_point<Clock, Duration>& end, std::error_code& ec) {
    return call(detail::time_limit::from_time_point(end), &ec, {});
  }
  template <class Clock, class Duration>
  [[nodiscard]] grant try_acquire_until(const std::chrono::time_point<Clock, Duration>& end, std::stop_token stop,
                                        std::error_code& ec) {
    return call(detail::time_limit::from_time_point(end), &ec, std::move(stop));
  }

 protected:
  acquirable() = default;
  ~acquirable() = default;

 private:
  /// `Lockable::do_acquire` throws when `ec` is null.
  grant call(detail::time_limit limit, std::error_code* ec, std::stop_token stop) {
    return static_cast<Lockable&>(*this).do_acquire(limit, ec, std::move(stop));
  }
};

}  // namespace zklock
