#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "src/threads/thread_safety.hpp"

namespace zklock::client {

/// How many requests are unanswered. Any thread; the mutex is for the wait at the end alone.
class unanswered_requests {
 public:
  void add() noexcept { ++count_; }
  void remove() noexcept ZKLOCK_EXCLUDES(mutex_) {
    if (--count_ == 0 && awaited_) {
      const scoped_lock_on lock(mutex_);
      none_left_.notify_all();
    }
  }
  /// Waits until there are none, and no longer than the limit. False: some are left.
  bool wait_none(std::chrono::nanoseconds limit) ZKLOCK_EXCLUDES(mutex_) {
    awaited_ = true;  // before the look at the count, so that either remove() sees it or we see the count
    const auto deadline = std::chrono::steady_clock::now() + limit;
    const scoped_lock_on lock(mutex_);
    while (count_ != 0 && none_left_.wait_until(mutex_, deadline) != std::cv_status::timeout) {}
    return count_ == 0;
  }

 private:
  std::atomic<std::int64_t> count_ = 0;
  std::atomic<bool> awaited_ = false;
  annotated_mutex mutex_;
  annotated_condition none_left_;
};

}  // namespace zklock::client
