#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>

#include <zklock/acquire.hpp>
#include <zklock/thread_annotations.hpp>

namespace zklock {

/// lock() and the try_lock() forms, for std::unique_lock, std::scoped_lock, std::lock and std::condition_variable_any
/// (its limits: docs/guide/threads.md). If acquire() would report an error, these functions throw zklock::error,
/// try_lock() too: false means only "not in time".
template <class Lockable>
class ZKLOCK_CAPABILITY("mutex") lockable {
 public:
  void lock() ZKLOCK_ACQUIRE() { static_cast<void>(within({})); }
  [[nodiscard]] bool try_lock() ZKLOCK_TRY_ACQUIRE(true) { return within(detail::time_limit::one_try()); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& time) ZKLOCK_TRY_ACQUIRE(true) {
    return within(detail::time_limit::from_duration(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& end) ZKLOCK_TRY_ACQUIRE(true) {
    return within(detail::time_limit::from_time_point(end));
  }

 protected:
  lockable() = default;
  ~lockable() = default;
  lockable(const lockable&) = default;
  lockable& operator=(const lockable&) = default;

 private:
  bool within(detail::time_limit limit) { return static_cast<Lockable&>(*this).lock_within(limit); }
};

}  // namespace zklock
