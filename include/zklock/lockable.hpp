#pragma once

#include <chrono>

#include <zklock/acquire.hpp>

namespace zklock {

/// The members that std::unique_lock, std::scoped_lock, std::lock and std::condition_variable_any want, the same for
/// every lockable thing: a thin layer over what acquirable does. `Lockable` has `bool lock_within(detail::wait_limit)`,
/// which throws zklock::error where there is an error, and `void unlock() noexcept`.
///
/// *Errors*: what acquirable reports as an error is thrown; false is "not in time" alone. (std's own mutexes do not
/// throw from try_lock(); this one does when no server answers, since the caller could not tell otherwise. std::lock
/// and std::scoped_lock give back what they have taken when one of their locks throws.)
/// *Waits*: std::condition_variable_any unlocks, and locks again when it is notified: in a new place in the queue, with
/// another token. If that lock() throws (no session, say), the standard has wait() call std::terminate.
template <class Lockable>
class lockable {
 public:
  void lock() { static_cast<void>(within({})); }
  [[nodiscard]] bool try_lock() { return within({detail::wait_limit::kind::one_try, {}}); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& limit) {
    return within(detail::wait_limit::from_duration(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& limit) {
    return within(detail::wait_limit::from_time_point(limit));
  }

 protected:
  lockable() = default;
  ~lockable() = default;
  lockable(const lockable&) = default;
  lockable& operator=(const lockable&) = default;

 private:
  bool within(detail::wait_limit limit) { return static_cast<Lockable&>(*this).lock_within(limit); }
};

}  // namespace zklock
