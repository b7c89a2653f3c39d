#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

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
///     if (zklock::grant g = all.try_acquire_for(2s)) { ... }       // one time limit for the whole
///
/// *Ordering*: all parts enter their queues in one transaction, so any two multi-locks stand in the same order in every
/// queue that they share. *Deadlock*: none, if no owner holds a grant while it waits for another one; an owner that
/// does can deadlock, as with any mutex: use one multi_lock for all, or std::lock. *Ownership*: lock() belongs to the
/// calling thread, as(o) to `o`, a plain grant to no owner. The owner owns the parts too: while it holds, it may
/// re-enter reentrant parts. Acquiring the multi-lock is errc::would_deadlock while the owner holds a part (permits
/// wait). *Errors*: the parts' own; the first part that fails ends the attempt, is named by zklock::error::path(), and
/// the others are given back. *Loss*: lost with its first lost part, which grant::lost_part() names. *Fencing*: one
/// token, greater than that of every earlier grant that conflicted with a part. *Lifetime*: does not keep its parts'
/// lock objects alive: when one is gone, errc::abandoned. *Cost*: 2 round trips; release: one removal a part. *All
/// else*: as recursive_mutex. *In layout::curator* (of any part): one by one, in the order of the list; token() is the
/// first part's alone. *Source*: Curator's InterProcessMultiLock.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") multi_lock : public acquirable<multi_lock>, public lockable<multi_lock> {
 public:
  /// Sends nothing. Throws, naming the part: errc::invalid_parts when there is none, one path twice, or a part with an
  /// owner of its own (`x.as(o)`); errc::wrong_session when they are of several sessions.
  multi_lock(std::initializer_list<lock_view> parts);
  explicit multi_lock(std::vector<lock_view> parts);
  multi_lock(const multi_lock&) = delete;
  multi_lock& operator=(const multi_lock&) = delete;
  ~multi_lock();

  /// As recursive_mutex::unlock().
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- of the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< likewise

  [[nodiscard]] lock_view as(owner of) noexcept;

  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  friend class acquirable<multi_lock>;
  friend class lockable<multi_lock>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  const std::shared_ptr<detail::multi_lock_state> state_;
};

}  // namespace zklock
