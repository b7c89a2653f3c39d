#pragma once

#include <chrono>
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
  /// Has its own memory: to post it takes none.
  class task {
   public:
    task() = default;
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    virtual ~task() = default;
    virtual void run() = 0;
    /// For end_by().
    [[nodiscard]] virtual std::string name() const = 0;

   private:
    friend class task_thread;
    std::shared_ptr<task> next_{};
  };

  /// `threw`: told what a task has thrown; it does not throw.
  explicit task_thread(void (*threw)(const char* what));
  task_thread(const task_thread&) = delete;
  task_thread& operator=(const task_thread&) = delete;
  /// Runs what was posted before, then ends. On the thread itself it does not wait: the thread ends on its own.
  ~task_thread();

  /// Dropped once the thread is to end. `name`: of the task, for end_by().
  void post(std::function<void()> what, std::string name = {});
  /// Never dropped: behind the end another thread runs it, which then ends; if there can be none, the caller's.
  void post_always(std::shared_ptr<task> one) noexcept;
  /// The same as the destructor, but waits only until then. If the thread has not ended, it does so on its own, and this
  /// returns the name of the task that runs. Any thread, any number of times.
  std::optional<std::string> end_by(std::chrono::steady_clock::time_point until) noexcept;

 private:
  struct inbox {
    annotated_mutex mutex{};
    annotated_condition changed{};
    std::shared_ptr<task> first ZKLOCK_GUARDED_BY(mutex){};
    task* last ZKLOCK_GUARDED_BY(mutex) = nullptr;
    bool runs ZKLOCK_GUARDED_BY(mutex) = false;
    std::string running ZKLOCK_GUARDED_BY(mutex){};  ///< its name, while one runs
    bool stopped ZKLOCK_GUARDED_BY(mutex) = false;
    bool ended ZKLOCK_GUARDED_BY(mutex) = false;
    bool another ZKLOCK_GUARDED_BY(mutex) = false;  ///< thread runs what has come since
    bool let_go ZKLOCK_GUARDED_BY(mutex) = false;   ///< the thread is joined, or not to be joined

    void push(std::shared_ptr<task> one) ZKLOCK_REQUIRES(mutex);
    /// Null: there is none, and none is waited for.
    [[nodiscard]] std::shared_ptr<task> take() ZKLOCK_EXCLUDES(mutex);
    bool ends() ZKLOCK_REQUIRES(mutex);
  };
  static void work(const std::shared_ptr<inbox>& in, void (*threw)(const char* what));

  const std::shared_ptr<inbox> inbox_;  ///< outlives this object when the thread ends on its own
  void (*const threw_)(const char* what);
  std::thread thread_;
};

}  // namespace zklock::detail
