#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/engine/hold.hpp"
#include "src/threads/thread_safety.hpp"
#include "src/threads/time_thread.hpp"

namespace zklock::detail {

/// Ends the process when a hold that it watches is lost. Its thread takes no mutex but this object's, within which nothing waits, and
/// runs nothing of the user's.
class loss_exit {
 public:
  /// Also what is lost already. Throws std::system_error.
  void watch(std::shared_ptr<hold> of, int status) ZKLOCK_EXCLUDES(mutex_);
  /// A hold may have been lost before its deadline. Any thread.
  void look_soon() noexcept;
  [[nodiscard]] bool has_thread() const noexcept { return running_.load() != nullptr; }
  /// After a last look, it does not look any more.
  void stop() noexcept ZKLOCK_EXCLUDES(mutex_);

 private:
  struct watched {
    std::shared_ptr<hold> of;
    int status;
    std::string line_start;  ///< of what is said, up to the reason
    std::string line_end;    ///< behind it
  };
  /// The next deadline, if any.
  instant look() noexcept ZKLOCK_EXCLUDES(mutex_);
  void start() ZKLOCK_REQUIRES(mutex_);

  annotated_mutex mutex_;
  std::vector<watched> all_ ZKLOCK_GUARDED_BY(mutex_);
  std::size_t prune_at_ ZKLOCK_GUARDED_BY(mutex_) = 8;
  std::unique_ptr<time_thread> thread_ ZKLOCK_GUARDED_BY(mutex_);  ///< null until it is asked for
  std::atomic<time_thread*> running_{nullptr};
};

}  // namespace zklock::detail
