#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/acquire.hpp>
#include <zklock/options.hpp>
#include <zklock/owner.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>
#include <zklock/view.hpp>

namespace zklock {

namespace detail {
class lock_state;
class semaphore_limit;
}  // namespace detail

/// A semaphore for all processes that use the same path: together they hold no more permits than the permit limit.
///
///     zklock::semaphore pool(session, "/locks/pool", 8);
///     if (zklock::grant g = pool.permits(3).try_acquire_for(1s)) {   // all three, or none
///       work_with(3);
///     }
///
/// The servers store the permit limit, for all clients. An acquisition goes by it:
///
/// | data of the lock node          | semaphore(session, path)        | semaphore(session, path, 8)                     |
/// |--------------------------------|---------------------------------|-------------------------------------------------|
/// | none, or there is no lock node | fails: errc::no_permit_limit    | stores 8                                        |
/// | limit=8                        | uses 8                          | uses 8                                          |
/// | limit=5                        | uses 5                          | fails: errc::permit_limit_mismatch, naming both |
/// | anything else                  | fails: errc::not_a_permit_limit | fails: errc::not_a_permit_limit                 |
///
/// - *Ordering*: strictly first come, first served: a waiter for few permits does not overtake a waiter for many.
/// - *Ownership*: no thread owns permits. A client that holds permits and acquires further ones can wait for itself.
/// - *Errors*: errc::permit_limit_exceeded when a call wants more permits than the permit limit.
/// - *Fencing*: holders overlap, so the token of one holder must not make a store refuse another.
/// - *Locking*: the semaphore has no lock(). Store a view of permits in a variable, and lock the variable.
/// - *In layout::curator* each object uses its own permit limit, and fails with errc::no_permit_limit if it has none.
///   Each permit is a node: acquire few.
/// - *All else*: as recursive_mutex; a waiter needs at least 3 round trips.
/// - *Source*: Curator's InterProcessSemaphoreV2. *Guide*: docs/guide/semaphore.md.
class ZKLOCK_EXPORT semaphore : public acquirable<semaphore> {
 public:
  /// Uses the permit limit that the servers store. Sends nothing. Throws errc::invalid_path and errc::invalid_option,
  /// naming the value.
  semaphore(session& session, std::string_view path, lock_options options = {});
  /// Expects this permit limit, 1 to 1,000,000. Throws as the constructor above.
  semaphore(session& session, std::string_view path, std::int64_t permit_limit, lock_options options = {});
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore();

  /// A view of `count` permits, acquired together. Throws errc::invalid_option unless `count` is 1 to 1,000,000. The
  /// semaphore's own acquire() acquires one permit.
  [[nodiscard]] lock_view permits(std::int64_t count = 1);
  [[nodiscard]] lock_view as(owner of) { return permits(1).as(of); }
  operator lock_view() & { return permits(1); }  // NOLINT(google-explicit-constructor): one permit

  /// The permit limit that the servers store; in layout::curator the object's own. Takes at most
  /// lock_options::try_time_limit. *Errors* (with `ec`, 0 is returned): errc::not_connected, errc::no_permit_limit,
  /// errc::not_a_permit_limit.
  [[nodiscard]] std::int64_t permit_limit() const;
  [[nodiscard]] std::int64_t permit_limit(std::error_code& ec) const;

  /// Changes the permit limit for all clients: 1 to 1,000,000. It applies to waiters at once; holders keep their
  /// permits. If this object expects a permit limit, it expects the new one from now on. Other objects that expect the
  /// old limit get errc::permit_limit_mismatch at their next acquisition. Takes at most lock_options::try_time_limit.
  /// *Errors*, with nothing changed: errc::invalid_option, errc::not_connected, errc::wrong_recipe,
  /// errc::not_a_permit_limit (the lock node has other data), errc::not_in_layout. If it is unknown whether the limit
  /// was changed: errc::outcome_unknown; set it again.
  void set_permit_limit(std::int64_t to);
  void set_permit_limit(std::int64_t to, std::error_code& ec);

  [[nodiscard]] std::vector<participant> queue() const;  ///< see recursive_mutex
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;

 private:
  friend class acquirable<semaphore>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);

  const std::shared_ptr<detail::semaphore_limit> limit_;
  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
