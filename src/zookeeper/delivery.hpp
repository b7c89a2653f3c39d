#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::client {

/// Keeps the observer's promise "one call at a time", without a mutex held during a call.
///
/// The thread that has the turn may call the observer. The client's callback thread waits for its turn, which cannot
/// take long, since an observer does not block. Every other thread must not wait (it may be inside submit(), with a
/// mutex that the observer wants): it takes the turn if it is free, and otherwise leaves its call to the thread that
/// has it. So nothing but what submit() and poll() themselves give rise to is ever told from within them.
class delivery {
 public:
  using call = std::function<void(observer&)>;

  explicit delivery(observer& to) : to_(to) {}

  /// The client's callback thread: waits for the turn, then calls.
  template <class Call>
  void in_turn(Call&& what) ZKLOCK_EXCLUDES(mutex_) {
    if (begin()) {
      std::forward<Call>(what)(to_);
      end();
    }
  }

  /// Any thread, from within the observer as well: calls now, or has it called by the thread that has the turn.
  void post(call what) ZKLOCK_EXCLUDES(mutex_);

  /// From here on in_turn() and post() do nothing. A call that is under way goes on.
  void close() ZKLOCK_EXCLUDES(mutex_);

  /// After close(): waits until no thread has the turn any more, then calls.
  void last(const call& what) ZKLOCK_EXCLUDES(mutex_);

 private:
  [[nodiscard]] bool begin() ZKLOCK_EXCLUDES(mutex_);
  void end() ZKLOCK_EXCLUDES(mutex_);

  observer& to_;
  annotated_mutex mutex_;
  annotated_condition free_;
  bool taken_ ZKLOCK_GUARDED_BY(mutex_) = false;
  bool closed_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::deque<call> posted_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::client
