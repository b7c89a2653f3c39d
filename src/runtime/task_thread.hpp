#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "src/runtime/thread_safety.hpp"

namespace zklock::detail {

/// A thread for work that no other thread waits for, or that blocks: user code that is told of a loss or a change, the
/// closing of a handle. Tasks run one at a time, in order, with no lock held. One that throws costs no other its turn.
class task_thread {
 public:
  task_thread();
  task_thread(const task_thread&) = delete;
  task_thread& operator=(const task_thread&) = delete;
  /// Runs what was posted before, then ends. On the thread itself it does not wait: the thread ends on its own.
  ~task_thread();

  void post(std::function<void()> task);
  void stop() noexcept;

 private:
  struct inbox {
    annotated_mutex mutex;
    annotated_condition changed;
    std::deque<std::function<void()>> tasks ZKLOCK_GUARDED_BY(mutex);
    bool stopped ZKLOCK_GUARDED_BY(mutex) = false;
  };
  static void work(const std::shared_ptr<inbox>& in);

  const std::shared_ptr<inbox> inbox_;  ///< outlives this object when the thread ends on its own
  std::thread thread_;
};

}  // namespace zklock::detail
