#pragma once

#include <chrono>
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

#include "src/locks/aspect.hpp"
#include "src/locks/lock_terms.hpp"
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

/// When a call ends that is not granted before.
struct call_end {
  bool once = false;  ///< it does not wait behind another contender
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
  lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms, std::string_view path,
             const lock_options& options);

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
  /// The holders and the waiters. Throws when `ec` is null.
  [[nodiscard]] std::vector<participant> queue(std::error_code* ec);
  /// The contenders that this lock's queue() lists.
  [[nodiscard]] recipes::sought_contenders its_contenders() const {
    return recipes::sought_beside(claim_of({}));
  }
  [[nodiscard]] operations::participants_result inspect(const recipes::sought_contenders& of, instant until);
  [[nodiscard]] const std::string& path() const noexcept { return target_->path; }
  [[nodiscard]] const std::shared_ptr<const lock_target>& target() const noexcept { return target_; }

  // ---- as a part of a multi-lock
  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session_; }
  [[nodiscard]] wanted_part wanted(aspect what) const { return {target_, claim_of(what)}; }
  [[nodiscard]] const std::shared_ptr<owner_book>& book() const noexcept { return book_; }
  [[nodiscard]] waiting_calls& calls() noexcept { return calls_; }
  /// Why the calling thread cannot wait for it now; no error: it can.
  [[nodiscard]] std::error_code obstacle() const;
  /// Why no contender can get that part of it; no error: one can.
  [[nodiscard]] failure fault(aspect what) const { return terms_->fault(what, *target_); }
  [[nodiscard]] instant end_of_one_try(instant now) const;
  /// When a call that begins now has to end.
  [[nodiscard]] call_end end_of(wait_limit limit) const;

 private:
  acquired acquire(aspect what, wait_limit limit, std::stop_token stop);
  acquired wait_in_queue(aspect what, wait_limit limit, std::stop_token stop);
  [[nodiscard]] bool reentrant() const noexcept { return terms_->reentrant(); }
  [[nodiscard]] recipes::claim claim_of(aspect what) const;
  [[nodiscard]] std::shared_ptr<hold> find_mine() const;

  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<const lock_terms> terms_;
  const std::shared_ptr<const lock_target> target_;
  const std::shared_ptr<owner_book> book_ = std::make_shared<owner_book>();
  const std::chrono::milliseconds try_limit_;
  waiting_calls calls_;
};

}  // namespace zklock::detail
