#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "src/thread_safety.hpp"

namespace zklock::detail {

/// Where user code that nobody waits for runs: notices of loss, changes of the session's state. One at a time, in order,
/// with no lock held. A throwing notice costs nobody else theirs.
class notice_thread {
 public:
  notice_thread();
  notice_thread(const notice_thread&) = delete;
  notice_thread& operator=(const notice_thread&) = delete;
  /// Runs what was posted before, then ends. On the thread itself it does not wait: the thread ends on its own.
  ~notice_thread();

  void post(std::function<void()> notice);
  void stop() noexcept;

 private:
  struct inbox {
    annotated_mutex mutex;
    annotated_condition changed;
    std::deque<std::function<void()>> notices ZKLOCK_GUARDED_BY(mutex);
    bool stopped ZKLOCK_GUARDED_BY(mutex) = false;
  };
  static void work(const std::shared_ptr<inbox>& in);

  const std::shared_ptr<inbox> inbox_;  ///< outlives this object when the thread ends on its own
  std::thread thread_;
};

}  // namespace zklock::detail
