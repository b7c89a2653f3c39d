#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// A thread for work that no other thread waits for, or that blocks: user code that is told of a loss or a change, the
/// closing of a handle. Tasks run one at a time, in order, with no lock held. One that throws costs no other its turn.
class task_thread {
 public:
  /// `threw`: told what a task has thrown; it does not throw.
  explicit task_thread(void (*threw)(const char* what));
  task_thread(const task_thread&) = delete;
  task_thread& operator=(const task_thread&) = delete;
  /// Runs what was posted before, then ends. On the thread itself it does not wait: the thread ends on its own.
  ~task_thread();

  /// `name`: of the task, for end_by().
  void post(std::function<void()> task, std::string name = {});
  /// The same as the destructor, but waits only until then. If the thread has not ended, it does so on its own, and this
  /// returns the name of the task that runs. Any thread, any number of times.
  std::optional<std::string> end_by(std::chrono::steady_clock::time_point until) noexcept;

 private:
  struct named_task {
    std::function<void()> function;
    std::string name;
  };
  struct inbox {
    annotated_mutex mutex;
    annotated_condition changed;
    std::deque<named_task> tasks ZKLOCK_GUARDED_BY(mutex);
    bool runs ZKLOCK_GUARDED_BY(mutex) = false;
    std::string running ZKLOCK_GUARDED_BY(mutex);  ///< its name, while one runs
    bool stopped ZKLOCK_GUARDED_BY(mutex) = false;
    bool ended ZKLOCK_GUARDED_BY(mutex) = false;
    bool let_go ZKLOCK_GUARDED_BY(mutex) = false;  ///< the thread is joined, or not to be joined
  };
  static void work(const std::shared_ptr<inbox>& in, void (*threw)(const char* what));
  [[nodiscard]] static bool run_next(inbox& in, void (*threw)(const char* what));

  const std::shared_ptr<inbox> inbox_;  ///< outlives this object when the thread ends on its own
  std::thread thread_;
};

}  // namespace zklock::detail
