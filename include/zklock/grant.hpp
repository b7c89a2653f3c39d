#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

#include <zklock/clock.hpp>
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

/// The number that a protected resource compares: it refuses a smaller one than it has seen.
/// The czxid of the contender's node: greater for every later grant, also across restarts and re-made lock nodes.
struct fencing_token {
  std::int64_t value = 0;
  auto operator<=>(const fencing_token&) const = default;
};

/// Proof of one acquisition. The program that has it holds the lock, until it is released or lost.
///
///     if (zklock::grant g = orders.try_acquire_for(200ms)) {
///       while (g.held() && work.step()) {}
///       storage.write(record, g.token());
///     }                                       // released here
///
/// | state    | bool  | held() | loss_reason() | token(), path() | release(ec)                    |
/// |----------|-------|--------|---------------|-----------------|--------------------------------|
/// | empty    | false | false  | none          | 0, ""           | nothing, no error              |
/// | standing | true  | true   | none          | the grant's     | gives back -> empty            |
/// | lost     | true  | false  | why           | the grant's     | gives back -> empty, errc::lost |
///
/// *Ownership*: of one count. All grants of one owner on one contender (re-entry) share token, path and loss; the node
/// goes with the last of them. Move-only; a moved-from grant is empty.
/// *Threads*: a grant is used by one thread at a time, any thread; different grants of one hold by different threads.
/// *Loss*: see loss_reason. held() asks the clock, so it is right before any event has arrived. A hold that was once
/// reported lost is never held again.
/// *Lifetime*: may outlive its lock and its session.
class [[nodiscard]] grant {
 public:
  grant() noexcept = default;
  grant(grant&& other) noexcept;
  /// Releases what it had first.
  grant& operator=(grant&& other) noexcept;
  /// Releases, without waiting: the removal of the node goes on in the background until it is done.
  ~grant();

  /// Whether it holds an acquisition, also a lost one.
  explicit operator bool() const noexcept { return hold_ != nullptr; }

  /// The question to ask: whether the lock is held now. Compares the clock with valid_until(); no request.
  [[nodiscard]] bool held() const noexcept;
  /// The notice of loss: stop is requested once the hold is lost. The callbacks of one hold run one after the other, on
  /// the session's notification thread, or here, when this call is the first to see the loss. They must not throw: as
  /// std::stop_callback says, that is std::terminate. A release does not fire it. May outlive everything. In a child of
  /// fork() it never stops.
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] zklock::loss_reason loss_reason() const noexcept;
  [[nodiscard]] fencing_token token() const noexcept;
  /// The local deadline: the hold is lost no later than then. Moves on while servers answer.
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept;
  /// The lock's path, as it was given. Of a multi-lock: the parts' paths, one a line, in their order.
  [[nodiscard]] std::string path() const;
  /// The contender's node. Of a multi-lock: the parts' nodes, one a line, in their order.
  [[nodiscard]] std::string node() const;
  /// The path of the part because of which a multi-lock was lost. Empty: because of none in particular, or not lost.
  [[nodiscard]] std::string lost_part() const;

  /// Of a shared_mutex's write side: goes on as a read grant, keeping its place in the queue and its token, so that no
  /// writer gets in between. Readers that wait are let in as soon as the servers know; this call does not wait for it,
  /// and it is repeated until done. Whatever the answers, this grant counts as a read grant from now on.
  /// *Errors*: errc::not_a_write_grant; errc::would_deadlock while its owner has another count of the same write hold;
  /// errc::lost; errc::not_owner if it is empty. Then nothing has changed. *Cost*: 1 round trip, not waited for.
  void downgrade();
  void downgrade(std::error_code& ec) noexcept;

  /// Gives the lock back, and waits until a server has confirmed it; at the longest until valid_until(). Afterwards
  /// this grant is empty, whatever the outcome, and the release need not be repeated. Throws errc::release_unconfirmed
  /// when no server has answered by then (the removal goes on). Does not throw for a lost hold.
  void release();
  /// The same without exceptions; reports errc::lost for a lost hold.
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
