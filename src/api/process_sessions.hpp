#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// The ZooKeeper sessions that this process has had, by id: what one of them has done another one's caller may know of. Any thread.
class process_sessions {
 public:
  [[nodiscard]] static process_sessions& all();

  void add(std::int64_t id) ZKLOCK_EXCLUDES(mutex_);
  /// True also if there have been too many to remember.
  [[nodiscard]] bool has(std::int64_t id) const ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t count() const ZKLOCK_EXCLUDES(mutex_);
  /// For tests: as if the sessions so far were of another process.
  void forget() ZKLOCK_EXCLUDES(mutex_);

 private:
  static constexpr std::size_t most = 10'000;

  mutable annotated_mutex mutex_;
  std::set<std::int64_t> ids_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
