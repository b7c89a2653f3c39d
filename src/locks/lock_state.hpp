#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/acquire.hpp>
#include <zklock/grant.hpp>
#include <zklock/options.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>

#include "src/locks/lock_limit.hpp"
#include "src/locks/owner_book.hpp"
#include "src/operations/acquire.hpp"
#include "src/runtime/session_impl.hpp"
#include "src/locks/waiting_calls.hpp"
#include "src/operations/participants.hpp"

namespace zklock::detail {

/// Lets the library's own bodies reach into the public types.
struct session_access {
  static const std::shared_ptr<session_impl>& impl(const session& from) { return from.impl_; }
};
struct grant_access {
  static grant make(std::shared_ptr<session_impl> session, std::shared_ptr<owner_book> book,
                    std::shared_ptr<hold> proof, side of) {
    return {std::move(session), std::move(book), std::move(proof), of};
  }
  static const std::shared_ptr<session_impl>& session(const grant& of) { return of.session_; }
  static const std::shared_ptr<hold>& proof(const grant& of) { return of.proof_; }
  /// Gives up the grant object without giving the count back: unlock() will.
  static void keep_count(grant from) {
    from.proof_.reset();
    from.book_.reset();
  }
};

enum class recipe : std::uint8_t { recursive_mutex, semaphore_mutex, shared_mutex, semaphore };

/// Which part of a lock is meant: what a view stands for.
struct aspect {
  side of = side::whole;
  std::uint32_t permits = 1;
};

/// When a call ends that is not granted before.
struct call_end {
  bool once = false;  ///< it does not wait behind anybody
  std::optional<instant> until{};
};

/// What came of a call.
struct acquired {
  grant taken;
  failure why;
};
/// The grant, or what the caller's form of the call makes of the failure: it throws when `ec` is null.
grant grant_or_failure(acquired&& result, std::error_code* ec, std::string_view operation, const std::string& path);

/// What stands behind a lock object. A call that waits keeps it alive, so that the object may go meanwhile.
class lock_state : public std::enable_shared_from_this<lock_state> {
 public:
  /// `limit`: what the object says of a semaphore's permits; 0: nothing.
  lock_state(std::shared_ptr<session_impl> session, recipe kind, std::string_view path, const lock_options& options,
             std::uint32_t limit = 0);

  /// By the calling thread: re-enters, or waits in the queue. Throws when `ec` is null; the error says `operation`.
  grant acquire(aspect what, wait_limit limit, std::error_code* ec, std::stop_token stop, std::string_view operation);
  /// The same for lock() and its kin.
  bool lock_within(aspect what, wait_limit limit);
  /// The count is unlock()'s to give back. Throws errc::abandoned if the lock object has gone meanwhile.
  void keep_for_unlock(aspect what, grant taken);
  void unlock(aspect what) noexcept;
  /// The lock object goes: waits end, counts of lock() are given back.
  void abandon() noexcept;

  [[nodiscard]] bool held_by_this_thread() const noexcept;
  /// The calling thread's hold; of a lock that no thread owns the one that lock() has taken. Throws errc::not_owner,
  /// errc::forked.
  [[nodiscard]] std::shared_ptr<hold> require_mine(std::string_view operation) const;
  /// Of require_mine().
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] zklock::fencing_token token() const;
  /// Who holds and waits. Throws when `ec` is null.
  [[nodiscard]] std::vector<participant> queue(std::error_code* ec);
  /// Whom this lock's queue() lists.
  [[nodiscard]] sought_contenders its_contenders() const;
  [[nodiscard]] operations::participants_result inspect(const sought_contenders& of, instant until);
  [[nodiscard]] const std::string& path() const noexcept { return target_->path; }

  // ---- as a part of a multi-lock
  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session_; }
  [[nodiscard]] wanted_part wanted(aspect what) const { return {target_, claim_of(what)}; }
  [[nodiscard]] const std::shared_ptr<owner_book>& book() const noexcept { return book_; }
  [[nodiscard]] waiting_calls& calls() noexcept { return calls_; }
  /// Why the calling thread cannot wait for it now; no error: it can.
  [[nodiscard]] std::error_code obstacle() const;
  /// Whether more permits are wanted than this object knows of; in Curator's layout also whether it knows of any.
  [[nodiscard]] failure limit_fault(aspect what) const;
  [[nodiscard]] instant end_of_one_try(instant now) const;
  /// When a call that begins now has to end.
  [[nodiscard]] call_end end_of(wait_limit limit) const;

  // ---- a semaphore's
  [[nodiscard]] const std::shared_ptr<const lock_target>& target() const noexcept { return target_; }
  [[nodiscard]] lock_limit& limit() noexcept { return limit_; }

 private:
  acquired acquire(aspect what, wait_limit limit, std::stop_token stop);
  acquired wait_in_queue(aspect what, wait_limit limit, std::stop_token stop);
  [[nodiscard]] bool reentrant() const noexcept {
    return kind_ == recipe::recursive_mutex || kind_ == recipe::shared_mutex;
  }
  [[nodiscard]] recipes::claim claim_of(aspect what) const;
  [[nodiscard]] std::shared_ptr<hold> find_mine() const;

  const std::shared_ptr<session_impl> session_;
  const recipe kind_;
  const std::shared_ptr<const lock_target> target_;
  const std::shared_ptr<owner_book> book_ = std::make_shared<owner_book>();
  const std::chrono::milliseconds try_limit_;
  waiting_calls calls_;
  lock_limit limit_;
};

}  // namespace zklock::detail
