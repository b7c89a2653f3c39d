#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

#include <boost/container/small_vector.hpp>

#include <zklock/acquire.hpp>
#include <zklock/error.hpp>
#include <zklock/grant.hpp>
#include <zklock/session.hpp>

#include "src/api/lock_mode.hpp"
#include "src/api/lock_owners.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/release.hpp"

namespace zklock::detail {

struct released_count;

/// Lets the library's own bodies reach into the public types.
struct session_access {
  static const std::shared_ptr<session_impl>& impl(const session& from) { return from.impl_; }
};
struct grant_access {
  static grant make(std::shared_ptr<session_impl> session, std::shared_ptr<lock_owners> owners,
                    std::shared_ptr<hold> held, side of) {
    return {std::move(session), std::move(owners), std::move(held), of};
  }
  static const std::shared_ptr<session_impl>& session(const grant& of) { return of.session_; }
  static const std::shared_ptr<hold>& held(const grant& of) { return of.hold_; }
  /// One count is given back, and the grant object is empty.
  static released_count release(grant from, std::shared_ptr<operations::release_receiver> listener);
  /// Gives up the grant object without giving the count back: unlock() will.
  static void keep_count(grant from) {
    from.hold_.reset();
    from.owners_.reset();
  }
};

class lock_state;

/// A lock, or a part of a multi-lock.
struct lock_part {
  lock_state* state;
  lock_mode what;
};
using lock_parts = boost::container::small_vector<lock_part, 1>;

/// What stands behind a lock object, a multi-lock, and their views: each form of acquiring, and what their owners hold. Made by
/// make_shared: a call that waits keeps it alive, so that the object may go meanwhile.
class acquirable_state : public std::enable_shared_from_this<acquirable_state> {
 public:
  acquirable_state(const acquirable_state&) = delete;
  acquirable_state& operator=(const acquirable_state&) = delete;
  virtual ~acquirable_state() = default;

  /// For the view's owner, or for none. Throws when `ec` is null.
  grant acquire(lock_mode what, time_limit limit, std::error_code* ec, std::stop_token stop);
  /// lock() and its kin: for the view's owner, or the calling thread if threads own it.
  bool lock_within(lock_mode what, time_limit limit);
  void unlock(lock_mode what) noexcept;
  /// The lock object goes: waits end, counts of lock() are given back.
  void abandon() noexcept;
  /// No call comes any more.
  virtual void let_kept_go() noexcept {}

  /// Of the owner that unlock() would be for; of a lock that no thread owns what lock() has taken. Null: nothing.
  [[nodiscard]] std::shared_ptr<hold> find_mine(lock_mode what) const;

  [[nodiscard]] virtual const std::string& path() const noexcept = 0;
  /// What a call has to acquire: of a lock itself, of a multi-lock all parts.
  [[nodiscard]] virtual lock_parts parts_of(lock_mode what) = 0;
  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session_; }
  [[nodiscard]] const std::shared_ptr<lock_owners>& owners() const noexcept { return owners_; }

 protected:
  acquirable_state(std::shared_ptr<session_impl> session, std::shared_ptr<lock_owners> owners)
      : session_(std::move(session)), owners_(std::move(owners)) {
    if (session_ && !session_->forked()) {  // its mutex may stay locked for ever; null: no parts, which is refused
      session_->note_lock(owners_);
    }
  }

  /// An owner that acquires again only counts. Then lock() is the calling thread's, where no owner is said.
  [[nodiscard]] virtual bool counts_again() const noexcept = 0;

 private:
  [[nodiscard]] caller std_caller(lock_mode what) const noexcept;
  /// Its owner holds it, and one count more is all. `held`: null: it does not matter.
  [[nodiscard]] bool counts_only(const caller& by, side of, bool locks, std::shared_ptr<hold>* held);
  /// Behind counts_only() and release_locked(): what a re-entry does not need.
  bool lock_by_contending(const caller& by, lock_mode what, time_limit limit);
  void unlocked(const lock_owners::unlocked& given) noexcept;
  grant contend(const caller& by, lock_mode what, bool locks, time_limit limit, std::error_code* ec,
                std::string_view operation, std::stop_token stop);

  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<lock_owners> owners_;
};

/// What the caller is told of a failure of his call.
[[nodiscard]] error error_of_call(failure why, std::string_view operation, const acquirable_state& of);

/// What find_mine() has found is held now.
[[nodiscard]] bool held_of(const acquirable_state& lock, lock_mode what) noexcept;
/// These throw errc::not_owner, errc::forked.
[[nodiscard]] std::stop_token lost_of(const acquirable_state& lock, lock_mode what);
[[nodiscard]] zklock::fencing_token token_of(const acquirable_state& lock, lock_mode what);

}  // namespace zklock::detail
