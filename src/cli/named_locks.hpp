#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// The locks at the PATHs of a command line, to be acquired all together. One alone is no multi-lock: it takes a round
/// trip less.
class named_locks {
 public:
  /// Throws zklock::error, which names the PATH at fault.
  named_locks(session& session, const run_arguments& wanted);
  named_locks(const named_locks&) = delete;
  named_locks& operator=(const named_locks&) = delete;
  ~named_locks() = default;

  /// `how`: of a lock_view or a multi_lock, one of acquirable's functions.
  template <class How>
  [[nodiscard]] grant acquire(How how) {
    return all_ ? how(*all_) : how(views_.front());
  }

  /// Of each PATH, in the order of the command line.
  [[nodiscard]] const std::vector<lock_view>& views() const noexcept { return views_; }

 private:
  using any_lock = std::variant<recursive_mutex, shared_mutex, semaphore>;
  lock_view add(session& session, const std::string& path, const lock_kind& kind, std::chrono::milliseconds max_hold);

  std::deque<any_lock> locks_;
  std::vector<lock_view> views_;
  std::optional<multi_lock> all_;
};

}  // namespace zklock::cli
