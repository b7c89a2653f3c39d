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

/// A read/write lock among all processes that use the same path: many readers, or one writer. It is reentrant for its
/// owner.
///
///     zklock::shared_mutex config(session, "/locks/config");
///     {
///       std::shared_lock reading(config);
///       use(load());
///     }
///     zklock::grant g = config.write().acquire();
///     store(changed, g.token());
///     g.downgrade();                       // lets readers in, but no writer
///     check(load());
///
/// lock() and lock_shared() acquire for the calling thread; calls through `as(o)`, for the owner `o`; acquire() and
/// read().acquire(), for no owner. The effect of a call depends on what its owner has of *this lock object*:
///
/// | call                                  | nothing            | the read side        | the write side              |
/// |---------------------------------------|--------------------|----------------------|-----------------------------|
/// | lock_shared(), read().as(o).acquire() | joins the queue    | one read count more  | one read count more         |
/// | lock(), as(o).acquire()               | joins the queue    | errc::would_deadlock | one write count more        |
/// | unlock_shared()                       | contract violation | one read count less  | one read count less, if any |
/// | unlock()                              | contract violation | contract violation   | one write count less        |
///
/// - unlock() releases only counts of lock(), unlock_shared() only counts of lock_shared(). Without a count: contract
///   violation.
/// - acquire() and read().acquire() join the queue. While this thread holds by lock(), both fail with
///   errc::would_deadlock; while it holds by lock_shared(), only acquire() fails.
/// - After a loss, an owner's acquisitions fail with errc::lost until all its counts are given back.
/// - If an owner gives back its last write count and has a read count, its hold is downgraded. No reader becomes a
///   writer.
/// - Code that has a read grant without owner, and acquires a second one, deadlocks if a writer has queued in between.
/// - *Ordering*: first come, first served among contenders that conflict. Neither side starves.
/// - *Fencing*: readers overlap, so the token of one reader must not make a store refuse another.
/// - *Cost*: 1 round trip, or 2 to 3 behind conflicting contenders. In layout::native 1 directly behind a writer of the
///   same session. Re-entry: none. Downgrade: one request.
/// - *All else*: as recursive_mutex.
/// - *Source*: "Shared locks" in ZooKeeper's recipes. *Guide*: docs/guide/shared_mutex.md.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("shared_mutex") shared_mutex : public acquirable<shared_mutex>,
                                                                     public lockable<shared_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  shared_mutex(session& session, std::string_view path, lock_options options = {});
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex();

  /// The two sides. acquire(), lock() and as() of the lock itself are those of the write side.
  [[nodiscard]] lock_view read() noexcept;
  [[nodiscard]] lock_view write() noexcept;
  [[nodiscard]] lock_view as(owner of) noexcept;
  operator lock_view() & noexcept { return write(); }  // NOLINT(google-explicit-constructor)

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

  // ---- these are about the calling thread's hold, of either side
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< without a hold: throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< without a hold: throws errc::not_owner

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
