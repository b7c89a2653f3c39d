#pragma once

#include <chrono>
#include <memory>
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

#include "src/owner_book.hpp"
#include "src/session/acquisition.hpp"
#include "src/session/session_impl.hpp"
#include "src/thread_safety.hpp"
#include "src/waiter.hpp"

namespace zklock::detail {

/// Lets the library's own bodies reach into the public types.
struct session_access {
  static const std::shared_ptr<session_impl>& impl(const session& from) { return from.impl_; }
};
struct grant_access {
  static grant make(std::shared_ptr<session_impl> session, std::shared_ptr<owner_book> book,
                    std::shared_ptr<hold> proof) {
    return {std::move(session), std::move(book), std::move(proof)};
  }
  static const std::shared_ptr<session_impl>& session(const grant& of) { return of.session_; }
  static const std::shared_ptr<hold>& proof(const grant& of) { return of.proof_; }
  /// Gives up the grant object without giving the count back: unlock() will.
  static void keep_count(grant from) {
    from.proof_.reset();
    from.book_.reset();
  }
};

/// What stands behind a lock object. A call that waits keeps it alive, so that the object may go meanwhile.
class lock_state : public std::enable_shared_from_this<lock_state> {
 public:
  lock_state(std::shared_ptr<session_impl> session, std::string_view path, const lock_options& options);

  /// By the calling thread: re-enters, or waits in the queue. Throws when `ec` is null; the error says `operation`.
  grant acquire(wait_limit limit, std::error_code* ec, std::stop_token stop, std::string_view operation);
  /// The count is unlock()'s to give back. Throws errc::abandoned if the lock object has gone meanwhile.
  void keep_for_unlock(grant taken);
  void unlock() noexcept;
  /// The lock object goes: waits end, counts of lock() are given back.
  void abandon() noexcept;

  [[nodiscard]] bool held_by_this_thread() const noexcept;
  /// The calling thread's hold. Throws errc::not_owner, errc::forked.
  [[nodiscard]] std::shared_ptr<hold> require_mine(std::string_view operation) const;
  /// Who holds and waits. Throws when `ec` is null.
  [[nodiscard]] std::vector<participant> queue(std::error_code* ec);
  [[nodiscard]] const std::string& path() const noexcept { return target_->path; }

 private:
  struct outcome {
    grant taken;
    std::error_code ec;
    recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind an error
  };
  outcome acquire(wait_limit limit, std::stop_token stop);
  outcome wait_in_queue(wait_limit limit, std::stop_token stop);
  /// Null if the lock object has gone.
  std::shared_ptr<waiter> begin(wait_limit limit);
  void end(const std::shared_ptr<waiter>& done);
  [[nodiscard]] instant end_of_one_try(instant now) const;

  // listing (lock_queue.cpp)
  queue_waiter::result inspect();
  /// Null if the lock object has gone.
  std::shared_ptr<queue_waiter> begin_inspection();

  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<const lock_target> target_;
  const std::shared_ptr<owner_book> book_ = std::make_shared<owner_book>();
  const std::chrono::milliseconds try_limit_;

  annotated_mutex mutex_;
  bool abandoned_ ZKLOCK_GUARDED_BY(mutex_) = false;  ///< the lock object has gone
  std::vector<std::shared_ptr<waiter>> waiting_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<queue_waiter>> inspecting_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::detail
