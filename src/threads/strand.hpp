#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// While there is one, the calling thread does no more on a strand than what it brings itself: an event loop's thread.
class own_tasks_only {
 public:
  own_tasks_only() noexcept { ++depth_; }
  ~own_tasks_only() { --depth_; }
  own_tasks_only(const own_tasks_only&) = delete;
  own_tasks_only& operator=(const own_tasks_only&) = delete;
  [[nodiscard]] static bool here() noexcept { return depth_ > 0; }

 private:
  static inline thread_local int depth_ = 0;
};

/// Runs tasks one at a time, in the order in which they came, on whichever thread brings one: a thread that finds it
/// idle runs its task at once, and then what others have brought meanwhile. So a call costs no thread hop, no task ever
/// waits for a mutex that is held across a ZooKeeper call, and what the tasks work on needs no mutex at all.
///
/// A thread that others keep busy is let go after some tasks, or at once (own_tasks_only): it asks for another one to take over,
/// and returns.
///
/// Tasks must not block and must not throw: no task could go on with what one that was cut short has left behind, so
/// the program ends. A task may bring tasks: they run after it.
class strand {
 public:
  /// `behind_tasks` runs, like a task, after each round of tasks. `call_for_help` is to have take_over() called, soon, by a
  /// thread that has time; false if there is none (any more).
  strand(std::function<void()> behind_tasks, std::function<bool()> call_for_help)
      : behind_tasks_(std::move(behind_tasks)), call_for_help_(std::move(call_for_help)) {}

  template <class Task>
  void run(Task&& task) noexcept ZKLOCK_EXCLUDES(mutex_) {
    if (enter()) {
      task();
    } else {
      // With no mutex held: a task that moves may copy an answer.
      std::unique_ptr<queued> later = std::make_unique<queued_task<std::remove_reference_t<Task>>>(std::move(task));
      if (!enter_or_queue(later)) {
        return;
      }
      later->run();
    }
    drain(own_tasks_only::here() ? 0 : tasks_in_a_row_max);
  }

  /// Goes on where a thread was let go; nothing if none was.
  void take_over() noexcept ZKLOCK_EXCLUDES(mutex_);

 private:
  struct queued {
    virtual ~queued() = default;
    virtual void run() = 0;
  };
  template <class Task>
  struct queued_task final : queued {
    explicit queued_task(Task&& held) : task(std::move(held)) {}
    void run() override { task(); }
    Task task;
  };

  /// True: it was idle, and is the caller's now.
  bool enter() ZKLOCK_EXCLUDES(mutex_);
  /// The same; otherwise the task has been taken into the queue.
  bool enter_or_queue(std::unique_ptr<queued>& task) ZKLOCK_EXCLUDES(mutex_);

  static constexpr std::size_t tasks_in_a_row_max = 64;
  /// At most so many tasks of others, if there is help.
  void drain(std::size_t limit) ZKLOCK_EXCLUDES(mutex_);

  const std::function<void()> behind_tasks_;
  const std::function<bool()> call_for_help_;
  annotated_mutex mutex_;
  bool busy_ ZKLOCK_GUARDED_BY(mutex_) = false;
  bool left_ ZKLOCK_GUARDED_BY(mutex_) = false;  ///< busy, but in no thread: take_over() is on its way
  std::vector<std::unique_ptr<queued>> queue_ ZKLOCK_GUARDED_BY(mutex_);
  // of the thread that has the strand
  std::vector<std::unique_ptr<queued>> batch_;
  std::size_t next_ = 0;  ///< of the batch
};

}  // namespace zklock::detail
