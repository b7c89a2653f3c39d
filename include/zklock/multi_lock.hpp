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

/// Several locks as one: the caller holds all of them or none. The parts are lock_views of one session: mutexes, sides
/// of a shared_mutex, permits of a semaphore, in any mix.
///
///     zklock::multi_lock all{orders, config.read(), pool.permits(3)};
///     if (zklock::grant g = all.try_acquire_for(2s)) { ... }       // one time limit for all parts
///
/// - *Deadlock*: none in layout::native, if no thread or task waits for a lock while it holds another. A thread
///   that waits while it holds can deadlock, in any order of locks: use one multi_lock for all, or std::lock.
/// - *Ownership*: as recursive_mutex. The owner also owns the parts: it may acquire a reentrant part again. While the
///   owner holds a part, acquiring the multi-lock fails with errc::would_deadlock. Held permits cause no error.
/// - *Errors*: those of the parts. The first part that fails ends the attempt; zklock::error::path() names this part.
/// - *Loss*: lost as soon as any part is lost; grant::lost_part() names that part.
/// - *Fencing*: one token, greater than that of every earlier grant that conflicted with a part.
/// - *Lifetime*: after the lock object of a part is destroyed, acquiring fails with errc::abandoned.
/// - *In layout::curator*, if any part has it: the parts are acquired one by one, in the order of the list. All
///   programs have to use the same order, or they can deadlock. token() is the first part's.
/// - *Cost* in layout::native: 1 round trip if all queues are empty, else 2 to 3. Release: one removal for each part.
/// - *All else*: as recursive_mutex, without re-entry.
/// - *Source*: Curator's InterProcessMultiLock. *Guide*: docs/guide/multi_lock.md.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") multi_lock : public acquirable<multi_lock>, public lockable<multi_lock> {
 public:
  /// Sends nothing. Throws errc::wrong_session for parts of several sessions. Throws errc::invalid_parts without parts,
  /// for two parts of one path, for a part with an owner (`x.as(o)`), and in one case of Curator's layout
  /// (docs/guide/multi_lock.md); errc::invalid_option for a part with lock_options::keep. The error names the part.
  multi_lock(std::initializer_list<lock_view> parts);
  explicit multi_lock(std::vector<lock_view> parts);
  multi_lock(const multi_lock&) = delete;
  multi_lock& operator=(const multi_lock&) = delete;
  ~multi_lock();

  /// As recursive_mutex::unlock().
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- these are about the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< without a hold: throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< without a hold: throws errc::not_owner

  [[nodiscard]] lock_view as(owner of) noexcept;
  operator lock_view() & noexcept;  // NOLINT(google-explicit-constructor): the whole; no part of another multi-lock

  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  friend class acquirable<multi_lock>;
  friend class lockable<multi_lock>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  const std::shared_ptr<detail::multi_lock_state> state_;
};

}  // namespace zklock
