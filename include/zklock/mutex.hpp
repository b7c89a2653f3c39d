#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/acquire.hpp>
#include <zklock/grant.hpp>
#include <zklock/lockable.hpp>
#include <zklock/options.hpp>
#include <zklock/owner.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>
#include <zklock/view.hpp>

namespace zklock {

namespace detail {
class lock_state;
}

/// A mutex among all processes that use the same path, reentrant for its owner.
///
///     zklock::recursive_mutex orders(session, "/locks/orders");
///     {
///       std::scoped_lock guard(orders);
///       storage.write(record, orders.token());   // the store refuses a smaller token
///     }
///
/// What lock() and its kin acquire belongs to the calling thread, a grant to no owner, what `as(o)` acquires to owner
/// `o`. What a call does depends on what its owner has of *this lock object* already:
///
/// | call                    | nothing                 | a hold         | a lost hold                         |
/// |-------------------------|-------------------------|----------------|-------------------------------------|
/// | lock(), as(o).acquire() | joins the queue         | one count more | errc::lost, until all are unlocked  |
/// | unlock()                | contract violation      | one count less | one count less                      |
/// | held()                  | false                   | true           | false                               |
/// | lost(), token()         | errc::not_owner         | the hold's     | the hold's                          |
///
/// acquire() joins the queue. On a thread that has locked the mutex, acquire(), and a call for another owner, fail with
/// errc::would_deadlock. *Ordering*: first come, first served, in the servers' order; with lock_options::hand_over the
/// holder's process first, within a bound. *Ownership*: a second object on the same path waits for the first. Grants may
/// be moved, released and destroyed on any thread. *Blocking*: the calling thread. In a callback of the program's
/// ZooKeeper handle acquiring is errc::would_deadlock. *Threads*: any number. *Time, Errors*: see acquirable. *Loss,
/// Fencing*: see grant. *Lifetime*: may be destroyed before or after its session and its grants; waiting calls end with
/// errc::abandoned, and what lock() has taken is released. *Cost*: 1 round trip, 2 behind another contender; re-entry
/// none (docs/design/costs.md). *Source*: "Locks" in ZooKeeper's recipes; Curator's InterProcessMutex, which it
/// excludes on one path (others: docs/design/wire-format.md).
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") recursive_mutex : public acquirable<recursive_mutex>,
                                                                 public lockable<recursive_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  recursive_mutex(session& session, std::string_view path, lock_options options = {});
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;
  ~recursive_mutex();

  /// Does not wait for the servers. Quiet for a lost hold. Where the thread has locked nothing it violates the
  /// contract: set_contract_handler.
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- of the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< likewise

  /// The holders and the waiters at this path, first come first, of all objects, processes and libraries: see
  /// participant. *Blocking*: at the longest lock_options::try_time_limit. *Errors*: as acquire(). *Cost*: 1 round
  /// trip, and one for each 128 participants begun.
  [[nodiscard]] std::vector<participant> queue() const;
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;
  [[nodiscard]] lock_view as(owner of) noexcept;  ///< the mutex for this owner
  operator lock_view() & noexcept;                // NOLINT(google-explicit-constructor): a mutex is its own view

 private:
  friend class acquirable<recursive_mutex>;
  friend class lockable<recursive_mutex>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
