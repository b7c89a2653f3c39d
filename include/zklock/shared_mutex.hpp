#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

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

/// A read/write lock among all processes that use the same path: many readers, or one writer. Reentrant for its owner;
/// a writer can go on as a reader without letting another writer in.
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
/// lock(), lock_shared() and their kin belong to the calling thread, a grant to no owner, `as(o)` to owner `o`. What a
/// call does depends on what its owner already has of *this lock object*. After a loss, acquiring is errc::lost until
/// all counts are given back.
///
/// | call                                   | nothing            | reads                | writes (and may read)    |
/// |----------------------------------------|--------------------|----------------------|--------------------------|
/// | lock_shared(), read().as(o).acquire()  | joins the queue    | one count more       | one read count           |
/// | lock(), as(o).acquire()                | joins the queue    | errc::would_deadlock | one count more           |
/// | read().acquire(), acquire()            | joins the queue; errc::would_deadlock on a thread whose lock() it would wait for |
/// | unlock_shared()                        | contract violation | one read count less  | one read count less; none: contract violation |
/// | unlock()                               | contract violation | contract violation   | one write count less     |
///
/// An owner that holds the read side gets it again at once. When its last write count goes and it still reads, its hold
/// is downgraded. No reader becomes a writer (docs/guide/shared_mutex.md). Code that holds a read grant without owner,
/// and asks for a second one, deadlocks if a writer has queued in between. *Ordering*: first come, first served among
/// those that conflict: a reader waits for the writers before it, a writer for all before it; neither side starves.
/// *Fencing*: readers overlap: a store keeps the greatest token of write grants alone. *All else*: as recursive_mutex.
/// *Source*: "Shared locks" in ZooKeeper's recipes; Curator's InterProcessReadWriteLock.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("shared_mutex") shared_mutex : public acquirable<shared_mutex>,
                                                                     public lockable<shared_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  shared_mutex(session& session, std::string_view path, lock_options options = {});
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex();

  /// The two sides. acquire(), lock() and as() of the lock itself are the write side's, as in std::shared_mutex.
  [[nodiscard]] lock_view read() noexcept;
  [[nodiscard]] lock_view write() noexcept;
  [[nodiscard]] lock_view as(owner of) noexcept;

  void unlock() noexcept ZKLOCK_RELEASE();
  void lock_shared() ZKLOCK_ACQUIRE_SHARED() { read().lock(); }
  [[nodiscard]] bool try_lock_shared() ZKLOCK_TRY_ACQUIRE_SHARED(true) { return read().try_lock(); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& time)
      ZKLOCK_TRY_ACQUIRE_SHARED(true) {
    return read().try_lock_for(time);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& end)
      ZKLOCK_TRY_ACQUIRE_SHARED(true) {
    return read().try_lock_until(end);
  }
  void unlock_shared() noexcept ZKLOCK_RELEASE_SHARED();

  // ---- of the calling thread's hold, whichever side it is
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< likewise

  [[nodiscard]] std::vector<participant> queue() const;  ///< see recursive_mutex
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;

 private:
  friend class acquirable<shared_mutex>;
  friend class lockable<shared_mutex>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
