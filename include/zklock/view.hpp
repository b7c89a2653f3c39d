#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

#include <zklock/acquire.hpp>
#include <zklock/grant.hpp>
#include <zklock/lockable.hpp>
#include <zklock/owner.hpp>

namespace zklock {

namespace detail {
class acquirable_state;
struct view_access;
}  // namespace detail

/// A small, copyable, lockable reference to a lock, one side of a shared_mutex, or permits of a semaphore. A view that
/// as() returns has an owner. The parts of a multi_lock are views.
///
///     zklock::lock_view three = pool.permits(3);
///     if (zklock::grant g = three.try_acquire_for(200ms)) { ... }
///
/// *Threads*: any number may use a view. *Lifetime*: after the lock object is destroyed, acquiring fails with
/// errc::abandoned. *All else*: as the lock itself.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") lock_view : public acquirable<lock_view>, public lockable<lock_view> {
 public:
  /// A view of the same lock, side or number of permits, for another owner.
  [[nodiscard]] lock_view as(owner of) const noexcept;

  /// Undoes one lock() of this view's lock, side or number of permits. With an owner: a lock() of this owner. Without
  /// an owner: one of the calling thread. If the thread has none, a view of permits or of a semaphore_mutex undoes a
  /// lock() of another thread. No lock() to undo: contract violation (set_contract_handler).
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- With an owner: about this owner's hold. Without: about the calling thread's hold; for permits and a
  // semaphore_mutex about the hold that unlock() would release.
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< throws errc::not_owner

  [[nodiscard]] const std::string& path() const noexcept;

 private:
  friend class acquirable<lock_view>;
  friend class lockable<lock_view>;
  friend struct detail::view_access;
  lock_view(std::shared_ptr<detail::acquirable_state> state, detail::side side, std::uint32_t permits,
            std::uint64_t owner) noexcept;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  std::shared_ptr<detail::acquirable_state> state_;
  detail::side side_;
  std::uint32_t permits_;
  std::uint64_t owner_;  ///< 0: no explicit owner
};

}  // namespace zklock
