#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <zklock/lock_event.hpp>

#include "src/api/observation.hpp"
#include "src/threads/task_thread.hpp"

namespace zklock::detail {

/// Of what becomes of a session's locks.
class lock_observation final : public observation_of<lock_event> {
 public:
  using observation_of::observation_of;
};

/// Those of one session. What they have not been told yet is bounded: a program that takes 60,000 turns a second must not run out of
/// memory because its observer writes to a slow disk.
class lock_observations {
 public:
  static constexpr std::size_t waiting_max = 1'024;

  /// Any thread.
  void add(const std::shared_ptr<lock_observation>& one);
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// One thread at a time.
  void tell(lock_event&& what, task_thread& on);

 private:
  annotated_mutex mutex_;
  std::vector<std::weak_ptr<lock_observation>> all_ ZKLOCK_GUARDED_BY(mutex_);
  std::atomic<bool> any_{false};
  const std::shared_ptr<std::atomic<std::size_t>> waiting_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::uint64_t dropped_ ZKLOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace zklock::detail
