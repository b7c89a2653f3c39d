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

/// One acquisition. A program that has a grant holds the lock until it releases or loses it.
///
///     if (zklock::grant g = orders.try_acquire_for(200ms)) {
///       while (g.held() && work.step()) {}
///       storage.write(record, g.token());
///     }                                       // released here
///
/// | state | bool  | held() | loss_reason() | token(), path() | release()              |
/// |-------|-------|--------|---------------|-----------------|------------------------|
/// | empty | false | false  | none          | 0, ""           | nothing                |
/// | held  | true  | true   | none          | the grant's     | -> empty               |
/// | lost  | true  | false  | why           | the grant's     | -> empty, errc::lost   |
///
/// All grants of one owner on one contender share token, path and loss; the node is removed with the last of them.
/// *Threads*: one grant in one thread at a time; several threads may use different grants of one hold. *Loss*: held()
/// asks the clock, so it is right also before any event has arrived; a lost hold is never held again. *Lifetime*: may
/// outlive its lock and its session.
class [[nodiscard]] ZKLOCK_EXPORT grant {
 public:
  grant() noexcept = default;
  grant(grant&& other) noexcept;
  grant& operator=(grant&& other) noexcept;  ///< releases what it had first
  /// Releases without waiting: the removal of the node goes on in the background until it is done. Quiet for a loss.
  ~grant();

  /// Whether it has an acquisition, also a lost one.
  explicit operator bool() const noexcept { return hold_ != nullptr; }

  /// Whether the lock is held now: compares the clock with valid_until(), and sends nothing.
  [[nodiscard]] bool held() const noexcept;
  /// The token is stopped when the hold is lost, not when it is released. Callbacks run one after the other, on the
  /// session's notification thread or in the call to lost() that sees the loss first; they must not throw. Not in a
  /// child of fork().
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] zklock::loss_reason loss_reason() const noexcept;
  [[nodiscard]] fencing_token token() const noexcept;
  /// The local deadline: lost no later than then. Moves on while servers answer.
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept;
  /// The lock's path, and the path of the contender's node. Of a multi-lock: one line for each part.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string node() const;
  /// Of a multi-lock: the path of the part whose loss ended it, if it was one part.
  [[nodiscard]] std::string lost_part() const;

  /// Of a shared_mutex's write side: goes on as a read grant with the same place and token; no writer gets in between.
  /// Waits for no server: this grant counts as a read grant from now on, readers come in when the servers know.
  /// *Errors*, with nothing changed: errc::not_a_write_grant; errc::would_deadlock while its owner has another count of
  /// the write hold; errc::lost; errc::not_owner if it is empty.
  void downgrade();
  void downgrade(std::error_code& ec) noexcept;

  /// Gives the lock back, and waits until a server has confirmed it, at the longest until valid_until(). The grant is
  /// empty afterwards, whatever is reported. *Errors*: errc::lost; errc::release_unconfirmed when no server has
  /// answered by then: the removal goes on.
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
