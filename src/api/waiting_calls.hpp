#pragma once

#include <memory>

#include <boost/intrusive/list.hpp>

#include "src/api/session_impl.hpp"
#include "src/engine/operation.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// The calls that wait on one lock object, so that its destruction can end them. Any thread.
class waiting_calls {
 private:
  using hook = boost::intrusive::list_base_hook<>;

 public:
  /// One of them, with its thread: while it lives, the destruction of the object ends the call.
  class entry : public hook {
   public:
    entry(waiting_calls& among, std::shared_ptr<engine::operation> of);
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    ~entry() { among_.leave(*this); }
    /// False: the object has gone.
    explicit operator bool() const noexcept { return waits_; }
    [[nodiscard]] const std::shared_ptr<engine::operation>& call() const noexcept { return of_; }

   private:
    waiting_calls& among_;
    const std::shared_ptr<engine::operation> of_;
    const bool waits_;
  };
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
  [[nodiscard]] bool enter(entry& one);
  void leave(entry& one) noexcept;

  annotated_mutex mutex_;
  bool abandoned_ ZKLOCK_GUARDED_BY(mutex_) = false;
  boost::intrusive::list<entry> entries_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
