#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

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
class ownership_table;
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
/// If an owner acquires again, its grants share one hold: token, path and loss. The release of the last one removes the
/// node, or passes it on (lock_options::hand_over). *Threads*: one at a time may use a grant; different grants of one
/// hold may be used at once. *Loss*: held() knows by the clock that the session may be over. Of a removed node it
/// learns by an event or an answer. A lost hold is never held again. *Lifetime*: may outlive lock and session.
class [[nodiscard]] ZKLOCK_EXPORT grant {
 public:
  grant() noexcept = default;
  grant(grant&& other) noexcept;
  grant& operator=(grant&& other) noexcept;  ///< takes over `other`; the grant that was here is released
  /// Releases without waiting: the library removes the node in the background. Reports no loss.
  ~grant();

  /// Whether the grant is not empty. True for a lost grant, too.
  explicit operator bool() const noexcept { return hold_ != nullptr; }

  /// Whether the hold is held now: no loss is known, and the clock is before valid_until(). Sends nothing.
  [[nodiscard]] bool held() const noexcept;
  /// A stop is requested of this stop_token when the hold is lost, not when it is released; never in a child of fork().
  /// A callback runs on the session's notification thread, or within the call of lost() that first notices the loss,
  /// or, if it is registered after the loss, on the thread that registers it. It must not throw.
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] zklock::loss_reason loss_reason() const noexcept;
  [[nodiscard]] fencing_token token() const noexcept;
  /// The local deadline: the hold is lost at this time at the latest. The deadline moves on while servers answer.
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept;
  /// path(): the lock's. node(): that of the contender's node. For a multi-lock: one line for each part.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string node() const;
  /// For a lost multi-lock: the path of the part that was lost. Empty if the loss is of no single part.
  [[nodiscard]] std::string lost_part() const;

  /// Turns a write grant of a shared_mutex into a read grant, with the same token, at the same position in the queue;
  /// no writer gets in between. Does not wait for a server: the grant is a read grant at once, and waiting readers come
  /// in when the servers know of the downgrade. *Errors*, with nothing changed: errc::not_a_write_grant;
  /// errc::would_deadlock if the owner has another count of the write side; errc::lost; errc::not_owner if it is empty.
  void downgrade();
  void downgrade(std::error_code& ec) noexcept;

  /// Releases the grant. If it is the hold's last, waits until a server has confirmed the removal, at most to
  /// valid_until(). The grant is empty afterwards, whatever is reported. *Errors*: errc::lost;
  /// errc::release_unconfirmed if no server has confirmed in time (the removal goes on); errc::permission_denied.
  void release();
  void release(std::error_code& ec) noexcept;

 private:
  friend struct detail::grant_access;
  grant(std::shared_ptr<detail::session_impl> session, std::shared_ptr<detail::ownership_table> table,
        std::shared_ptr<detail::hold> held, detail::side side) noexcept;

  std::shared_ptr<detail::session_impl> session_;
  std::shared_ptr<detail::ownership_table> table_;
  std::shared_ptr<detail::hold> hold_;
  detail::side side_ = detail::side::whole;
};

}  // namespace zklock
