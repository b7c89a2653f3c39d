#pragma once

#include <memory>
#include <vector>

#include "src/engine/operation.hpp"
#include "src/runtime/session_impl.hpp"
#include "src/runtime/thread_safety.hpp"

namespace zklock::detail {

/// The calls that wait on one lock object, so that its destruction can end them. Any thread.
class waiting_calls {
 public:
  /// False if the object has gone.
  [[nodiscard]] bool begin(const std::shared_ptr<engine::operation>& one);
  void end(const std::shared_ptr<engine::operation>& one);
  /// The object goes: all that wait are ended, and no more begin.
  void abandon(session_impl& session) noexcept;
  [[nodiscard]] bool abandoned();
  /// Does it, unless the object has gone.
  template <class Function>
  [[nodiscard]] bool unless_abandoned(Function function) {
    const scoped_lock_on lock(mutex_);
    return !abandoned_ && (function(), true);
  }

 private:
  annotated_mutex mutex_;
  bool abandoned_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<engine::operation>> operations_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
