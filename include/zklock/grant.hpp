#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

#include <zklock/clock.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/loss.hpp>

namespace zklock {

namespace detail {
class hold;
class lock_owners;
/// What of a lock is held: all of it, one side of a shared_mutex, or permits.
enum class side : std::uint8_t { whole, read, write, permits };
class session_impl;
struct grant_access;
}  // namespace detail

/// One acquisition. A program that has a grant holds the lock until the grant is released or lost.
///
///     if (zklock::grant g = orders.try_acquire_for(200ms)) {
///       while (g.held() && work.step()) {}
///       storage.write(record, g.token());
///     }                                       // released here
///
/// | state | bool  | held() | loss_reason() | token(), path() | lost()         | valid_until() | release()            |
/// |-------|-------|--------|---------------|-----------------|----------------|---------------|----------------------|
/// | empty | false | false  | none          | 0, ""           | never stops    | 0             | does nothing         |
/// | held  | true  | true   | none          | the grant's     | no stop        | the deadline  | -> empty             |
/// | lost  | true  | false  | the reason    | the grant's     | stop requested | the deadline  | -> empty, errc::lost |
///
/// - *Re-entry*: the grants of an owner that acquires again share one hold: token, path and loss.
/// - *Threads*: any, one at a time; different grants of one hold may be used at once.
/// - *Loss*: a lost hold is never held again. held() sees by the clock that the session may be over. It learns of a
///   removed node only by an event or an answer: docs/guide/loss_and_fencing.md.
/// - *Lifetime*: may outlive lock and session.
class [[nodiscard]] ZKLOCK_EXPORT grant {
 public:
  grant() noexcept = default;
  grant(grant&& other) noexcept;
  grant& operator=(grant&& other) noexcept;  ///< takes over `other`; releases the grant that this object had
  /// Releases without waiting for the servers; reports no loss.
  ~grant();

  /// False for an empty grant. True also for a lost one.
  explicit operator bool() const noexcept { return hold_ != nullptr; }

  /// No loss is known, and the clock is before valid_until(). Sends nothing.
  [[nodiscard]] bool held() const noexcept;
  /// Gets a stop request when the hold is lost, not when it is released. A callback must not throw. It usually runs on
  /// the session's notification thread. It may run after close(); the destructor of its std::stop_callback waits for it
  /// without a limit: docs/guide/threads.md.
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] zklock::loss_reason loss_reason() const noexcept;
  /// Gets a stop request when another client asks the holder to let go: `zklock revoke`, revoke(), Curator's Revoker. The
  /// hold goes on, until the program releases it. Callbacks as those of lost(). Costs no request: the holder watches its
  /// node anyway, from a twelfth of the session timeout on. Of a multi-lock: any part. Never in an election.
  [[nodiscard]] std::stop_token revocation_requested() const;
  [[nodiscard]] fencing_token token() const noexcept;
  /// The local deadline, which moves on while servers answer, or lock_options::max_hold, if that is earlier. A hold is lost when
  /// it passes, if not before.
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept;
  /// path() is the path of the lock, node() that of the contender's node. Of a multi-lock: one line for each part.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string node() const;
  /// The path of the lost part of a multi-lock. Empty if the loss is of no single part.
  [[nodiscard]] std::string lost_part() const;

  /// Turns a write grant of a shared_mutex into a read grant with the same token, at once. No writer gets in between.
  /// *Errors*, with nothing changed: errc::not_a_write_grant; errc::would_deadlock if the owner has another write
  /// count; errc::lost; errc::not_owner if the grant is empty.
  void downgrade();
  void downgrade(std::error_code& ec) noexcept;

  /// The bound of the hold (lock_options::max_hold) is `time` from now, if that is later: for all grants of the hold, and for each
  /// part of a multi-lock that has one. Sends nothing. *Errors*: errc::lost; errc::invalid_option: a negative time, or a
  /// hold without a bound; errc::not_owner if the grant is empty.
  void extend(std::chrono::nanoseconds time);
  void extend(std::chrono::nanoseconds time, std::error_code& ec) noexcept;

  /// Releases the grant, which is empty afterwards in any case. If it is the hold's last, waits until a server has
  /// confirmed the removal of the node, at most to valid_until(). *Errors*: errc::lost; errc::permission_denied;
  /// errc::release_unconfirmed if no server has confirmed in time: the library keeps trying.
  void release();
  void release(std::error_code& ec) noexcept;

 private:
  friend struct detail::grant_access;
  grant(std::shared_ptr<detail::session_impl> session, std::shared_ptr<detail::lock_owners> owners,
        std::shared_ptr<detail::hold> held, detail::side side) noexcept;

  std::shared_ptr<detail::session_impl> session_;
  std::shared_ptr<detail::lock_owners> owners_;
  std::shared_ptr<detail::hold> hold_;
  detail::side side_ = detail::side::whole;
};

}  // namespace zklock
