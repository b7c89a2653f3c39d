#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <zklock/session.hpp>

#include "src/runtime/thread_safety.hpp"

namespace zklock::detail {

/// The function to which changes of the session's state are told. Asked for when a change is told, not when it happens:
/// a function that has been replaced meanwhile hears nothing more. Any thread.
class state_observer {
 public:
  using function = std::function<void(const session_change&)>;

  void set(function next) {
    auto kept = next ? std::make_shared<function>(std::move(next)) : nullptr;
    const scoped_lock_on lock(mutex_);
    current_.swap(kept);
  }
  void tell(const session_change& change) {
    std::shared_ptr<function> told;
    {
      const scoped_lock_on lock(mutex_);
      told = current_;
    }
    if (told) {
      (*told)(change);
    }
  }

 private:
  annotated_mutex mutex_;
  std::shared_ptr<function> current_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
