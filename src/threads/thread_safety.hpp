#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <zklock/thread_annotations.hpp>

/// Private mutexes that clang's -Wthread-safety really checks: std's own carry no annotations with libstdc++.

namespace zklock {

class ZKLOCK_CAPABILITY("mutex") annotated_mutex {
 public:
  void lock() ZKLOCK_ACQUIRE() { mutex_.lock(); }
  void unlock() ZKLOCK_RELEASE() { mutex_.unlock(); }
  bool try_lock() ZKLOCK_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class annotated_condition;
  std::mutex mutex_;
};

/// Holds a mutex for a scope. May be unlocked and locked again inside it.
class ZKLOCK_SCOPED_CAPABILITY scoped_lock_on {
 public:
  explicit scoped_lock_on(annotated_mutex& mutex) ZKLOCK_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  scoped_lock_on(const scoped_lock_on&) = delete;
  scoped_lock_on& operator=(const scoped_lock_on&) = delete;
  ~scoped_lock_on() ZKLOCK_RELEASE() {
    if (owned_) {
      mutex_.unlock();
    }
  }

  void lock() ZKLOCK_ACQUIRE() {
    mutex_.lock();
    owned_ = true;
  }
  void unlock() ZKLOCK_RELEASE() {
    owned_ = false;
    mutex_.unlock();
  }

 private:
  annotated_mutex& mutex_;
  bool owned_ = true;
};

/// Waits on an annotated_mutex. No form with a predicate: the analysis does not see into a lambda that the mutex is
/// held, so callers write the loop.
class annotated_condition {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  void wait(annotated_mutex& mutex) ZKLOCK_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    condition_.wait(held);
    held.release();  // the caller's, as before
  }

  template <class Clock, class Duration>
  std::cv_status wait_until(annotated_mutex& mutex, const std::chrono::time_point<Clock, Duration>& deadline)
      ZKLOCK_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    const std::cv_status how = condition_.wait_until(held, deadline);
    held.release();
    return how;
  }

 private:
  std::condition_variable condition_;
};

}  // namespace zklock
