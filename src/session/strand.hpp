#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "src/thread_safety.hpp"

namespace zklock::detail {

/// Runs tasks one at a time, in the order in which they came, on whichever thread brings one: who finds it idle runs its
/// task at once, and then what others have brought meanwhile. So a call costs no thread hop, no task ever waits for a
/// mutex that is held across a ZooKeeper call, and what the tasks work on needs no mutex at all.
///
/// Tasks must not block and must not throw. A task may bring tasks: they run after it.
class strand {
 public:
  /// `settle` runs, like a task, whenever the tasks have run out.
  explicit strand(std::function<void()> settle) : settle_(std::move(settle)) {}

  template <class Task>
  void run(Task&& task) ZKLOCK_EXCLUDES(mutex_) {
    if (!enter(task)) {
      return;
    }
    task();
    drain();
  }

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

  /// True when the caller is to run it; otherwise it has been taken into the queue.
  template <class Task>
  bool enter(Task& task) ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    if (!busy_) {
      busy_ = true;
      return true;
    }
    queue_.push_back(std::make_unique<queued_task<std::remove_reference_t<Task>>>(std::move(task)));
    return false;
  }

  void drain() ZKLOCK_EXCLUDES(mutex_);

  const std::function<void()> settle_;
  annotated_mutex mutex_;
  bool busy_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<queued>> queue_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
