#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/engine/session_engine.hpp"
#include "src/operations/acquire.hpp"
#include "src/operations/commit.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

/// What locks ask of a session: the operations that share one registry of nodes, and one watch on what is held.
class lock_operations {
 public:
  /// `session` outlives it.
  explicit lock_operations(engine::session_engine& session);
  lock_operations(const lock_operations&) = delete;
  lock_operations& operator=(const lock_operations&) = delete;

  void begin_acquire(const std::shared_ptr<acquire>& wanted, engine::instant now);
  void begin_transaction(const std::shared_ptr<commit>& wanted, engine::instant now);
  /// Gives a hold back (of a multi-lock: one of its parts): the removal is queued, and repeated until done. `caller` may be
  /// null.
  void release(const std::shared_ptr<detail::hold>& given_back, const std::shared_ptr<release_receiver>& caller,
               engine::instant now);
  /// A write lock's hold goes on as a read lock's: told to the servers, and repeated until done.
  void downgrade(const std::shared_ptr<detail::hold>& writing, engine::instant now);

  // ---- for tests and checkers
  [[nodiscard]] std::size_t contender_count() const noexcept { return nodes_.registry.size(); }
  /// How many lock nodes are watched: as long as the session lasts.
  [[nodiscard]] std::size_t watched_lock_nodes() const noexcept { return nodes_.lock_nodes->size(); }
  [[nodiscard]] const recipes::contender* find_contender(std::uint64_t number) const;

 private:
  [[nodiscard]] contender_operation* holder_of(const detail::hold& one) const;
  void check_bound(const detail::hold& one, engine::instant now);
  /// Null: it is no turn of several.
  [[nodiscard]] hand_over* turns_of(const detail::hold& one) const;

  engine::session_engine& session_;
  session_nodes nodes_;
};

}  // namespace zklock::operations
