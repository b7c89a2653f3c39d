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

/// A read/write lock among all processes that use the same path: many readers, or one writer. Reentrant for its owner; a
/// writer can go on as a reader without letting another writer in.
///
///     zklock::shared_mutex config(session, "/locks/config");
///     {
///       std::shared_lock reading(config);
///       use(load());
///     }
///     zklock::grant g = config.write().acquire();
///     store(changed, g.token());
///     g.downgrade();                       // readers come in, no writer does
///     check(load());
///
/// `lock()`, `lock_shared()` and their kin are the calling thread's; a grant has no owner; `as(o)` is for owner `o` (see owner).
/// What happens to a call, by what its owner has of *this object*:
///
/// | call                | nothing            | reads                | writes (and may read)     | a lost hold |
/// |---------------------|--------------------|----------------------|---------------------------|-------------|
/// | read side           | a contender        | one count more, no request | one read count, no request | errc::lost |
/// | write side          | a contender        | errc::would_deadlock | one count more, no request | errc::lost |
/// | unlock_shared()     | contract violation | one read count less  | one read count less       | the same, quietly |
/// | unlock()            | contract violation | contract violation   | one write count less; the last one while it still reads is a downgrade | the same, quietly |
/// | held(), lost(), token() | false, errc::not_owner | the hold's     | the hold's                | false, the hold's |
///
/// `read side` is lock_shared(), read().as(o).acquire() and their like, `write side` is lock(), as(o).acquire() and theirs. An
/// owner that reads reads again without a turn, also when a writer waits.
///
/// Without owner each acquisition is a contender of its own: a read waits for its own task's write grant, and two reads of
/// one task with a writer queued between them wait for each other. A thread that writes by lock() and asks for either side
/// without owner, or reads by lock_shared() and asks to write so, is told errc::would_deadlock.
///
/// *Ordering*: first come, first served among those that conflict: a reader waits for the writers before it, a writer
/// for all contenders before it. So neither side starves the other.
/// *Ownership*: by object, as recursive_mutex. All counts of an owner share one node, one token, one loss. The last write
/// count that goes while the owner still reads is a downgrade, whether unlock() or a grant gives it back; a write grant
/// without owner is downgraded by grant::downgrade() alone.
/// *Blocking, Threads, Time, Cancellation, Loss, Lifetime*: as recursive_mutex.
/// *Errors*: as recursive_mutex; errc::would_deadlock from every form of acquiring the write side, one try included,
/// while the owner has read counts alone: it would wait for itself. It goes on reading.
/// *Fencing*: readers overlap: only a write grant's token may raise the mark of a store, or readers with smaller ones
/// that hold at the same time would be refused. A downgraded grant keeps its token.
/// *Cost*: no contender in the way: 1 round trip. Else 2, then one event, and none after it when only one contender was
/// in the way, in another session (else 1). A reader watches the nearest writer before it, a writer its immediate
/// predecessor; so a writer's release wakes the readers that it lets in and no other waiter, and a writer wakes at most
/// once for each reader before it. downgrade(): 1, not waited for. Re-entry: 0.
/// *On the wire*: `<path>/read-<32 hex digits>-NNNNNNNNNN` and `write-…`; a downgraded writer's node says so in its
/// data. In layout::curator: `_c_<uuid>-__READ__NNNNNNNNNN` and `…__WRIT__…`; a downgrade makes another node, and each
/// turn costs a list.
/// *Source*: "Shared locks" in ZooKeeper's recipes; Apache Curator's InterProcessReadWriteLock, whose nodes it shares
/// in layout::curator alone.
class shared_mutex : public acquirable<shared_mutex>, public lockable<shared_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  shared_mutex(session& session, std::string_view path, lock_options options = {});
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex();

  /// The two sides, to be acquired each. acquire() and lock() of the lock itself are those of the write side, as std
  /// has it.
  [[nodiscard]] lock_view read() noexcept;
  [[nodiscard]] lock_view write() noexcept;
  /// The write side for this owner; `read().as(o)` is the other.
  [[nodiscard]] lock_view as(owner of) noexcept;

  // ---- as std::shared_timed_mutex has them; lock(), try_lock() … are the write side's
  void unlock() noexcept;
  void lock_shared() { read().lock(); }
  [[nodiscard]] bool try_lock_shared() { return read().try_lock(); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& limit) {
    return read().try_lock_for(limit);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& limit) {
    return read().try_lock_until(limit);
  }
  void unlock_shared() noexcept;

  // ---- of the calling thread's hold, whichever side it is
  [[nodiscard]] bool held() const noexcept;
  /// Throws errc::not_owner.
  [[nodiscard]] std::stop_token lost() const;
  /// Throws errc::not_owner.
  [[nodiscard]] fencing_token token() const;

  /// The holders and the waiters: see recursive_mutex::queue().
  [[nodiscard]] std::vector<participant> queue() const;
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;

 private:
  friend class acquirable<shared_mutex>;
  friend class lockable<shared_mutex>;
  grant do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::wait_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
