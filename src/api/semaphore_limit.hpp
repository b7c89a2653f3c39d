#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "src/api/lock_state.hpp"
#include "src/api/lock_terms.hpp"
#include "src/operations/permit_limit_operation.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// What a semaphore object says of its permits, and what the servers say. `of`: the semaphore's state.
class semaphore_limit final : public lock_terms {
 public:
  /// `said`: by the object; 0: nothing.
  explicit semaphore_limit(std::uint32_t said) noexcept : said_(said) {}

  [[nodiscard]] owner_again again() const noexcept override { return owner_again::contends; }
  [[nodiscard]] lock_class measured_as() const noexcept override { return lock_class::semaphore; }
  [[nodiscard]] recipes::acquire_spec spec_of(lock_mode what, recipes::acquire_spec in) const override;
  /// Whether more permits are wanted than this object knows of; in Curator's layout also whether it knows of any.
  [[nodiscard]] failure fault(lock_mode what, const lock_target& of) const override;

  /// What the lock node says now. Throws when `ec` is null.
  std::uint32_t ask(lock_state& of, std::error_code* ec) const;
  /// For all, and for what this object says itself. Throws when `ec` is null.
  void set(lock_state& of, std::int64_t limit, std::error_code* ec);

 private:
  [[nodiscard]] std::uint32_t said() const noexcept { return said_.load(std::memory_order_relaxed); }
  [[nodiscard]] operations::permit_limit_result call(lock_state& of, std::optional<std::uint32_t> to) const;
  void say(std::uint32_t limit, std::int64_t as_of);

  std::atomic<std::uint32_t> said_;
  annotated_mutex mutex_;
  std::int64_t as_of_ ZKLOCK_GUARDED_BY(mutex_) = 0;  ///< the zxid with which `said_` was set
};

}  // namespace zklock::detail
