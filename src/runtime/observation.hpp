#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <zklock/session_state.hpp>

#include "src/runtime/fork_guard.hpp"
#include "src/runtime/thread_safety.hpp"

namespace zklock::detail {

/// One function that is told of changes, until it is ended. Any thread.
class observation {
 public:
  using function = std::function<void(const session_change&)>;

  explicit observation(function told) : function_(std::move(told)) {}

  void notify(const session_change& change) {
    {
      const scoped_lock_on lock(mutex_);
      if (ended_) {
        return;
      }
      running_on_ = std::this_thread::get_id();
    }
    struct when_it_has_returned {
      observation& of;
      ~when_it_has_returned() {
        const scoped_lock_on lock(of.mutex_);
        of.running_on_ = {};
        of.returned_.notify_all();
      }
    } const left{*this};
    function_(change);  // may throw
  }

  /// The function is not called any more; it has returned, unless this is called from within it. In a child of fork()
  /// there is no thread that could be in it.
  void end() noexcept {
    if (made_in_ != fork_generation()) {
      return;
    }
    function done;  // destroyed here, with no lock held, unless it is running: then with the object
    const scoped_lock_on lock(mutex_);
    ended_ = true;
    while (running_on_ != std::thread::id() && running_on_ != std::this_thread::get_id()) {
      returned_.wait(mutex_);
    }
    if (running_on_ == std::thread::id()) {
      done.swap(function_);
    }
  }

 private:
  function function_;  ///< not changed while it runs
  const unsigned made_in_ = fork_generation();
  annotated_mutex mutex_;
  annotated_condition returned_;
  bool ended_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::thread::id running_on_ ZKLOCK_GUARDED_BY(mutex_);
};

/// Those of one session. Any thread.
class observations {
 public:
  void add(const std::shared_ptr<observation>& one) {
    const scoped_lock_on lock(mutex_);
    std::erase_if(all_, [](const std::weak_ptr<observation>& each) { return each.expired(); });
    all_.push_back(one);
  }
  /// In the order in which they were added. Some may have been ended, or be ended before they are told.
  [[nodiscard]] std::vector<std::weak_ptr<observation>> all() {
    const scoped_lock_on lock(mutex_);
    std::erase_if(all_, [](const std::weak_ptr<observation>& one) { return one.expired(); });
    return all_;
  }

 private:
  annotated_mutex mutex_;
  std::vector<std::weak_ptr<observation>> all_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
