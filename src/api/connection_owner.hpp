#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// A connection that does not call any more, and what it called.
struct dead_connection {
  std::unique_ptr<client::observer> observer;
  std::unique_ptr<client::connection> connection;  ///< goes first: it may still be in its last call
};

/// The observers of connections that may still call, and dead connections until a thread that they do not need destroys
/// them. Any thread.
class connection_owner {
 public:
  client::observer& add(std::uint64_t generation, std::unique_ptr<client::observer> observer) ZKLOCK_EXCLUDES(mutex_);
  /// The connection (null: it was never opened) is dead.
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) ZKLOCK_EXCLUDES(mutex_);
  /// For the caller to destroy.
  [[nodiscard]] std::vector<dead_connection> take_dead() ZKLOCK_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t observer_count() const ZKLOCK_EXCLUDES(mutex_);
  /// Since the beginning.
  [[nodiscard]] std::size_t disposed_count() const ZKLOCK_EXCLUDES(mutex_);
  void wait_disposed(std::size_t count) ZKLOCK_EXCLUDES(mutex_);

 private:
  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  std::map<std::uint64_t, std::unique_ptr<client::observer>> observers_ ZKLOCK_GUARDED_BY(mutex_);  ///< by generation
  std::vector<dead_connection> dead_ ZKLOCK_GUARDED_BY(mutex_);
  std::size_t disposed_ ZKLOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace zklock::detail
