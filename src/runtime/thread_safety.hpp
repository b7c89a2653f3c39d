#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// Private mutexes that clang's -Wthread-safety really checks: std's own carry no annotations with libstdc++.
/// Public lock types never use these.

#if defined(__clang__)
#define ZKLOCK_ANNOTATION(x) __attribute__((x))
#else
#define ZKLOCK_ANNOTATION(x)
#endif

#define ZKLOCK_CAPABILITY(name) ZKLOCK_ANNOTATION(capability(name))
#define ZKLOCK_SCOPED_CAPABILITY ZKLOCK_ANNOTATION(scoped_lockable)
#define ZKLOCK_GUARDED_BY(mutex) ZKLOCK_ANNOTATION(guarded_by(mutex))
#define ZKLOCK_PT_GUARDED_BY(mutex) ZKLOCK_ANNOTATION(pt_guarded_by(mutex))
#define ZKLOCK_REQUIRES(...) ZKLOCK_ANNOTATION(requires_capability(__VA_ARGS__))
#define ZKLOCK_EXCLUDES(...) ZKLOCK_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ZKLOCK_ACQUIRE(...) ZKLOCK_ANNOTATION(acquire_capability(__VA_ARGS__))
#define ZKLOCK_RELEASE(...) ZKLOCK_ANNOTATION(release_capability(__VA_ARGS__))
#define ZKLOCK_TRY_ACQUIRE(...) ZKLOCK_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define ZKLOCK_RETURN_CAPABILITY(mutex) ZKLOCK_ANNOTATION(lock_returned(mutex))
#define ZKLOCK_NO_THREAD_SAFETY_ANALYSIS ZKLOCK_ANNOTATION(no_thread_safety_analysis)

namespace zklock {

class ZKLOCK_CAPABILITY("mutex") annotated_mutex {
 public:
  void lock() ZKLOCK_ACQUIRE() { mutex_.lock(); }
  void unlock() ZKLOCK_RELEASE() { mutex_.unlock(); }
  bool try_lock() ZKLOCK_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
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

  void wait(annotated_mutex& mutex) ZKLOCK_REQUIRES(mutex) { condition_.wait(mutex); }

  template <class Clock, class Duration>
  std::cv_status wait_until(annotated_mutex& mutex, const std::chrono::time_point<Clock, Duration>& deadline)
      ZKLOCK_REQUIRES(mutex) {
    return condition_.wait_until(mutex, deadline);
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace zklock
