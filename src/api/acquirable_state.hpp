#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include <zklock/acquire.hpp>
#include <zklock/grant.hpp>
#include <zklock/session.hpp>

#include "src/api/lock_mode.hpp"
#include "src/api/owner_calls.hpp"
#include "src/api/ownership_table.hpp"
#include "src/api/session_impl.hpp"
#include "src/api/waiting_calls.hpp"
#include "src/engine/failure.hpp"

namespace zklock::detail {

/// Lets the library's own bodies reach into the public types.
struct session_access {
  static const std::shared_ptr<session_impl>& impl(const session& from) { return from.impl_; }
};
struct grant_access {
  static grant make(std::shared_ptr<session_impl> session, std::shared_ptr<ownership_table> table,
                    std::shared_ptr<hold> held, side of) {
    return {std::move(session), std::move(table), std::move(held), of};
  }
  static const std::shared_ptr<session_impl>& session(const grant& of) { return of.session_; }
  static const std::shared_ptr<hold>& held(const grant& of) { return of.hold_; }
  /// Gives up the grant object without giving the count back: unlock() will.
  static void keep_count(grant from) {
    from.hold_.reset();
    from.table_.reset();
  }
};

/// What came of a call.
struct acquired {
  grant taken;
  failure why;
};

/// What stands behind a lock object, a multi-lock, and their views: each form of acquiring, and what their owners hold. A call
/// that waits keeps it alive, so that the object may go meanwhile.
class acquirable_state {
 public:
  acquirable_state(const acquirable_state&) = delete;
  acquirable_state& operator=(const acquirable_state&) = delete;
  virtual ~acquirable_state() = default;

  /// For the view's owner, or for none. Throws when `ec` is null.
  grant acquire(lock_mode what, time_limit limit, std::error_code* ec, std::stop_token stop);
  /// lock() and its kin: for the view's owner, or the calling thread if threads own it.
  bool lock_within(lock_mode what, time_limit limit);
  void unlock(lock_mode what) noexcept;
  /// The count is unlock()'s to give back. Throws errc::abandoned if the lock object has gone meanwhile.
  void keep_for_unlock(lock_mode what, grant taken);
  /// The lock object goes: waits end, counts of lock() are given back.
  void abandon() noexcept;
  /// Requested when the object goes.
  [[nodiscard]] std::stop_token going() const noexcept { return going_.get_token(); }

  /// Of the owner that unlock() would be for; of a lock that no thread owns what lock() has taken. Null: nothing.
  [[nodiscard]] std::shared_ptr<hold> find_mine(lock_mode what) const;

  [[nodiscard]] virtual const std::string& path() const noexcept = 0;
  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session_; }
  [[nodiscard]] const std::shared_ptr<ownership_table>& table() const noexcept { return table_; }
  [[nodiscard]] waiting_calls& calls() noexcept { return calls_; }

 protected:
  acquirable_state(std::shared_ptr<session_impl> session, std::shared_ptr<ownership_table> table)
      : session_(std::move(session)), table_(std::move(table)) {}

  virtual acquired acquire_for(const caller& by, lock_mode what, time_limit limit, std::stop_token stop) = 0;
  /// Whether lock() is the calling thread's, where no owner is said.
  [[nodiscard]] virtual bool thread_owns() const noexcept = 0;
  /// What a call is told whose turn has not come: without a connection it cannot know the queue.
  [[nodiscard]] failure without_turn(failure why) const;
  /// What a call is told whose turn came so late that an answer could hardly come, less than T/12: not in time.
  [[nodiscard]] acquired behind_turn(acquired result, const owner_turn& turn, std::optional<instant> until) const;
  /// When a call that waits for its turn warns.
  [[nodiscard]] instant warns_in_turn_at() const;
  virtual void mark_locked(const hold& taken, lock_mode what) { table_->mark_locked(taken, what.of); }

 private:
  [[nodiscard]] caller std_caller(lock_mode what) const noexcept;

  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<ownership_table> table_;
  waiting_calls calls_;
  std::stop_source going_;
};

/// What find_mine() has found is held now.
[[nodiscard]] bool held_of(const acquirable_state& lock, lock_mode what) noexcept;
/// These throw errc::not_owner, errc::forked.
[[nodiscard]] std::stop_token lost_of(const acquirable_state& lock, lock_mode what);
[[nodiscard]] zklock::fencing_token token_of(const acquirable_state& lock, lock_mode what);

}  // namespace zklock::detail
