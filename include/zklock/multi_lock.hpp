#pragma once

#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

#include <zklock/acquire.hpp>
#include <zklock/grant.hpp>
#include <zklock/lockable.hpp>
#include <zklock/owner.hpp>
#include <zklock/view.hpp>

namespace zklock {

namespace detail {
class multi_lock_state;
}

/// Several locks as one: all of them are held, or none. The parts are lock_views of one session: mutexes, sides of a
/// shared_mutex, permits of a semaphore, in any mix.
///
///     zklock::multi_lock all{orders, config.read(), pool.permits(3)};
///     if (zklock::grant g = all.try_acquire_for(2s)) { ... }       // one limit for the whole
///
/// *Ordering* (of native parts): all parts enter their queues in one transaction, so any two multi-locks stand in the
/// same order in every queue that they share, in whatever order their parts were listed. While it waits for one part,
/// it holds up the contenders behind it in the queues of the others.
/// *Deadlock*: if no owner holds a grant while it waits for another, there is none: every wait points from a greater
/// czxid to a smaller one. A thread that holds one lock and waits for another can deadlock, in any order of locks, as
/// with any mutex: use one multi_lock for all of them, or std::lock, which tries and backs off.
/// *Ownership*: of lock() the calling thread's, of a grant none, of as(o) the owner's; for its parts too. While it is held,
/// that owner re-enters a part that is reentrant, and held() and token() of such a part answer for this hold. What was
/// re-entered stays when the multi-lock is given back. It never re-enters itself: a part that the owner holds already,
/// also by this multi-lock, is errc::would_deadlock (errc::lost, if that hold was lost); permits wait.
/// *Blocking, Threads, Time, Cancellation*: see acquirable. One limit covers all parts.
/// *Errors*: as the parts' own; the first part that fails ends the attempt, and zklock::error::path() names it (all of
/// them, when none is to blame: not in time, stopped, closed). What
/// was taken of the others is given back, one by one, also while servers are out of reach. Its grant cannot be
/// downgraded (errc::not_a_write_grant).
/// *Loss*: lost with its first lost part, which grant::lost_part() names; the others are given back at once.
/// *Fencing*: one token for all parts, greater than that of every earlier grant that conflicted with one of them. It
/// may raise a store's mark if the part that protects the store is a mutex or a write side.
/// *Lifetime*: does not keep its parts: when a part's lock object has gone, acquiring ends with errc::abandoned.
/// Otherwise as recursive_mutex.
/// *Cost*: empty queues: 2 round trips (the transaction with the lists behind it, and one that reads the token). Behind
/// another contender: 2, then an event for each part that waits. Release: one removal a part, sent together.
/// *On the wire*: the parts' own nodes.
/// *In layout::curator*: if one part is, all are taken one by one, in the order of the list, as Curator does. Opposite
/// lists may then wait for each other, and there is no common token: grant::token() is that of the first part, each
/// lock's own token() that of its part.
/// *Source*: Apache Curator's InterProcessMultiLock.
class multi_lock : public acquirable<multi_lock>, public lockable<multi_lock> {
 public:
  /// Sends nothing. Throws errc::invalid_parts when there is no part, or one path twice (also two sides of it, or the
  /// mutex of a semaphore of Curator's beside its permits), or a part that as() gave an owner of its own; errc::wrong_session
  /// when they are of several sessions; naming the part.
  multi_lock(std::initializer_list<lock_view> parts);
  explicit multi_lock(std::vector<lock_view> parts);
  multi_lock(const multi_lock&) = delete;
  multi_lock& operator=(const multi_lock&) = delete;
  ~multi_lock();

  /// Gives back what lock() or try_lock*() of the calling thread has taken. Does not wait. Quiet for a lost hold; a
  /// thread that has taken nothing violates the contract: set_contract_handler.
  void unlock() noexcept;

  // ---- of the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  /// Throws errc::not_owner.
  [[nodiscard]] std::stop_token lost() const;
  /// Throws errc::not_owner.
  [[nodiscard]] fencing_token token() const;

  /// The multi-lock for this owner: all of its parts are.
  [[nodiscard]] lock_view as(owner of) noexcept;

  /// The parts' paths, in their order.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  friend class acquirable<multi_lock>;
  friend class lockable<multi_lock>;
  grant do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::wait_limit limit);

  const std::shared_ptr<detail::multi_lock_state> state_;
};

}  // namespace zklock
