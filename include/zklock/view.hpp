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

/// A small, copyable, lockable reference to a lock or a part of it (one side of a shared_mutex, some permits of a
/// semaphore), and to an owner if one is said. A multi_lock is made of such.
///
///     zklock::lock_view three = pool.permits(3);
///     if (zklock::grant g = three.try_acquire_for(200ms)) { ... }
///
/// *Threads*: any number on one view, and on its copies: they are the same lock. *Lifetime*: does not keep the lock
/// object alive: once that is destroyed, calls end with errc::abandoned. Everything else is as the lock's own header
/// says.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") lock_view : public acquirable<lock_view>, public lockable<lock_view> {
 public:
  /// The same for this owner.
  [[nodiscard]] lock_view as(owner of) const noexcept;

  /// Gives back one count that lock() took of the same side or number of permits. The count belongs to the view's
  /// owner; if the view has none, to the calling thread, or for permits to any thread. If there is no such count, it
  /// violates the contract: set_contract_handler.
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- of the hold that unlock() would give back
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< likewise

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
  std::uint64_t owner_;  ///< 0: none was said
};

}  // namespace zklock
