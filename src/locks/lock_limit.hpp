#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "src/locks/waiting_calls.hpp"
#include "src/operations/permit_limit.hpp"
#include "src/runtime/session_impl.hpp"
#include "src/runtime/thread_safety.hpp"

namespace zklock::detail {

/// A semaphore's permit limit, as its lock object says it, and as its lock node does. Any thread.
class lock_limit {
 public:
  /// `calls`: of the lock object, which has this as well. `said`: what it says itself; 0: nothing.
  lock_limit(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_target> target, waiting_calls& calls,
             std::uint32_t said)
      : session_(std::move(session)), target_(std::move(target)), calls_(calls), said_(said) {}

  [[nodiscard]] std::uint32_t said() const noexcept { return said_.load(std::memory_order_relaxed); }
  /// What the lock node says now. Throws when `ec` is null.
  std::uint32_t ask(instant until, std::error_code* ec);
  /// For all, and for what the object says itself. Throws when `ec` is null.
  void set(std::int64_t limit, instant until, std::error_code* ec);

 private:
  operations::permit_limit_result call(std::optional<std::uint32_t> to, instant until);
  void answer(const operations::permit_limit_result& told, std::error_code* ec, std::string_view operation) const;
  void note(std::uint32_t limit, std::int64_t as_of) ZKLOCK_EXCLUDES(mutex_);

  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<const lock_target> target_;
  waiting_calls& calls_;
  std::atomic<std::uint32_t> said_;
  annotated_mutex mutex_;
  std::int64_t as_of_ ZKLOCK_GUARDED_BY(mutex_) = 0;  ///< the zxid with which `said_` was set
};

}  // namespace zklock::detail
