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
/// The permit limit stands on the servers, for all clients:
///
/// | the lock node says       | semaphore(session, path) | semaphore(session, path, 8)                     |
/// |--------------------------|--------------------------|-------------------------------------------------|
/// | nothing, or is not there | errc::no_permit_limit    | 8 is stored, with the first acquire             |
/// | 8                        | uses 8                   | uses 8                                          |
/// | 5                        | uses 5                   | errc::permit_limit_mismatch, naming both        |
/// | data that is no limit    | errc::no_permit_limit    | errc::no_permit_limit                           |
///
/// *Ordering*: strictly first come, first served: a waiter that wants many permits is not overtaken by one that wants
/// few. *Ownership*: no thread owns permits. Each acquire is one node, for any number of permits; a client that holds
/// some and asks for more waits like any other. *Errors*: errc::permit_limit_exceeded when more permits are wanted than
/// there are. *Fencing*: holders overlap: a store must not keep their tokens as its greatest. *Cost*: 1 round trip; 2
/// for a waiter. The semaphore itself has no lock(): store a view of permits in a variable, and lock that. *All else*:
/// as recursive_mutex. *In layout::curator*: no server stores the permit limit: each object uses its own. Each permit
/// is a node: take few. *Source*: Curator's InterProcessSemaphoreV2.
class ZKLOCK_EXPORT semaphore : public acquirable<semaphore> {
 public:
  /// This object uses the permit limit that the lock node has when it acquires. Sends nothing. Throws
  /// errc::invalid_path and errc::invalid_option, naming the value.
  semaphore(session& session, std::string_view path, lock_options options = {});
  /// This object expects this permit limit, 1 to 1,000,000, and stores it if the lock node has none.
  semaphore(session& session, std::string_view path, std::int64_t permit_limit, lock_options options = {});
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore();

  /// A view of so many permits, which are acquired together; the semaphore's own acquire() is for one. Throws
  /// errc::invalid_option for less than 1 and for more than 1,000,000.
  [[nodiscard]] lock_view permits(std::int64_t count = 1);
  [[nodiscard]] lock_view as(owner of) { return permits(1).as(of); }

  /// Asks the servers, at the longest for lock_options::try_time_limit. Throws, or sets `ec` and returns 0:
  /// errc::no_permit_limit, errc::not_connected.
  [[nodiscard]] std::int64_t permit_limit() const;
  [[nodiscard]] std::int64_t permit_limit(std::error_code& ec) const;

  /// Changes the permit limit for all clients: 1 to 1,000,000. Waiters use it at once; holders keep their permits; this
  /// object expects it from now on. The next acquire of another object that expects another one is
  /// errc::permit_limit_mismatch. At the longest lock_options::try_time_limit.
  /// *Errors*, with nothing changed: errc::invalid_option; errc::not_connected; errc::wrong_recipe: another recipe
  /// uses the lock node; errc::no_permit_limit: it has other data; errc::not_in_layout. errc::outcome_unknown: set it
  /// again.
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
