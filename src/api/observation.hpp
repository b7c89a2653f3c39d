#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zklock/session_state.hpp>

#include "src/log/log.hpp"
#include "src/threads/fork_guard.hpp"
#include "src/threads/thread_safety.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {

/// One function that is told of changes, until it is ended. Any thread.
template <class Change>
class observation_of {
 public:
  using function = std::function<void(const Change&)>;

  /// `limit`: how long end() waits. `session`: for messages.
  explicit observation_of(function told, std::chrono::nanoseconds limit = std::chrono::seconds(5),
                          std::string session = {})
      : function_(std::move(told)), limit_(limit), session_(std::move(session)) {}

  [[nodiscard]] std::chrono::nanoseconds limit() const noexcept { return limit_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_; }

  void notify(const Change& change) {
    {
      const scoped_lock_on lock(mutex_);
      if (ended_) {
        return;
      }
      running_ = true;
    }
    const user_code_scope inside;
    struct when_it_has_returned {
      observation_of& of;
      ~when_it_has_returned() {
        const scoped_lock_on lock(of.mutex_);
        of.running_ = false;
        of.returned_.notify_all();
      }
    } const left{*this};
    function_(change);  // may throw
  }

  /// The function is not called any more. Waits for its return, as user_code_deadline() says; false: it still runs. In a
  /// child of fork() there is no thread that could be in it.
  bool end() noexcept {
    if (made_in_ != fork_generation()) {
      return true;
    }
    const auto until = user_code_deadline(limit_);
    function done;  // destroyed here, with no lock held, unless it is running: then with the object
    const scoped_lock_on lock(mutex_);
    ended_ = true;
    while (running_ && returned_.wait_until(mutex_, until) != std::cv_status::timeout) {}
    if (!running_) {
      done.swap(function_);
    }
    return !running_;
  }

 private:
  function function_;  ///< not changed while it runs
  const std::chrono::nanoseconds limit_;
  const std::string session_;
  const unsigned made_in_ = fork_generation();
  annotated_mutex mutex_;
  annotated_condition returned_;
  bool ended_ ZKLOCK_GUARDED_BY(mutex_) = false;
  bool running_ ZKLOCK_GUARDED_BY(mutex_) = false;
};

/// Of a session's state.
class observation final : public observation_of<session_change> {
 public:
  using observation_of::observation_of;
};

/// What a destructor does that ends it; `what`: "an observer".
template <class Change>
void end_observation(observation_of<Change>& one, std::string_view what) {
  if (!one.end() && !in_user_code()) {
    log::write({log_level::warning,
                std::string(what) + " of " + one.session() + " is destroyed, and its function still runs after " +
                    milliseconds_text(one.limit()),
                {},
                {},
                one.session()});
  }
}

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
