#pragma once

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
/// `lock()` and its kin are the calling thread's; a grant has no owner; `as(o)` is for owner `o` (see owner). What happens to
/// a call, by what its owner has of *this object*:
///
/// | call                   | nothing                   | a standing hold            | a lost hold                         |
/// |------------------------|---------------------------|----------------------------|-------------------------------------|
/// | lock(), as(o).acquire()| a contender, in the queue | one count more, no request | errc::lost, until all is given back |
/// | acquire() …            | a contender, in the queue, unless the thread has locked it                                   |
/// | unlock()               | contract violation        | one count of lock() less   | one count of lock() less, quietly   |
/// | held()                 | false                     | true                       | false                               |
/// | lost(), token()        | errc::not_owner           | the hold's                 | the hold's                          |
///
/// A thread that has locked it and asks for another owner, or for none, would wait for itself: errc::would_deadlock.
///
/// *Ordering*: first come, first served, in the servers' order. What the holder before did before its release happens
/// before the return of the acquiring call, as far as both went through ZooKeeper or the store that compares tokens.
/// *Ownership*: by object: a second object on the same path is a stranger and waits. A grant may be moved to, released
/// and destroyed on any thread; unlock() gives back only counts taken by lock() and try_lock*(). A second call of one owner
/// while its first is unanswered waits for that answer, within its own limit.
/// *Blocking*: waiting calls block their thread only; do not call them from callbacks of the program's ZooKeeper handle
/// (errc::would_deadlock where that is seen).
/// *Threads*: any number on one object.
/// *Time, Cancellation, Errors*: see acquirable. The std names throw zklock::error in the error cases.
/// *Loss*: see grant. A lock can be lost while it is held. A program that must not act then asks held() or brings the
/// token.
/// *Fencing*: token(); the same for all counts of a hold.
/// *Lifetime*: the object may go before its grants, before or after its session. Waiting calls end with
/// errc::abandoned; counts taken by lock() are given back.
/// *Cost*: empty queue: 1 round trip (the first use of a path: 2); behind another contender: 2, then one event, and
/// none after it when only one contender was before, in another session (else 1); re-entry and unlock(): 0 waited for;
/// release(): 1. One node; waiting: two watches.
/// *On the wire*: `<path>/<32 hex digits>-lock-NNNNNNNNNN`, as in ZooKeeper's lock recipe. On the same path it excludes
/// Curator's InterProcessMutex, go-zk's and (with `extra_lock_patterns=("-lock-",)`) kazoo's Lock.
/// In layout::curator `<path>/_c_<uuid>-lock-NNNNNNNNNN`: the two layouts exclude each other, and differ in what a node
/// says. A child named `leases` makes the path a semaphore of Curator's, and is errc::wrong_recipe for every other
/// recipe: no lock can stand at `<path>/leases` as well.
/// *Source*: "Locks" in ZooKeeper's recipes; Apache Curator's InterProcessMutex.
class recursive_mutex : public acquirable<recursive_mutex>, public lockable<recursive_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  recursive_mutex(session& session, std::string_view path, lock_options options = {});
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;
  ~recursive_mutex();

  // ---- as std::recursive_timed_mutex has them; lock(), try_lock(), try_lock_for(), try_lock_until(): see lockable
  /// Does not wait; the removal goes on in the background. Quiet for a lost hold. A thread that holds no count of
  /// lock() violates the contract: set_contract_handler.
  void unlock() noexcept;

  // ---- of the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  /// Throws errc::not_owner.
  [[nodiscard]] std::stop_token lost() const;
  /// Throws errc::not_owner.
  [[nodiscard]] fencing_token token() const;

  /// The holders and the waiters at this path, first come first: all that stood there when the servers were asked, also
  /// through other objects, processes and libraries, but for those that went meanwhile. Empty also when there is no
  /// lock node. It says nothing about now: see participant.
  /// *Blocking*: at the longest lock_options::try_limit; then errc::not_connected. Ends with errc::abandoned when the
  /// object is destroyed. *Cost*: 1 round trip, and one more for each 128 participants begun; one small request each.
  /// *Errors*: as those of acquire(); errc::permission_denied when an access list hides the lock node's children. (A
  /// participant whose own node is hidden is listed without what it says of itself.)
  [[nodiscard]] std::vector<participant> queue() const;
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;
  /// The mutex for this owner: each form of acquiring, and what the owner holds.
  [[nodiscard]] lock_view as(owner of) noexcept;
  /// The mutex as a part of a multi_lock.
  operator lock_view() & noexcept;  // NOLINT(google-explicit-constructor): a mutex is its own view

 private:
  friend class acquirable<recursive_mutex>;
  friend class lockable<recursive_mutex>;
  grant do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::wait_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
