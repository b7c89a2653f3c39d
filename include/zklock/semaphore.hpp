#pragma once

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

/// Some permits among all processes that use the same path: no more than the permit limit are held at any time.
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
/// | 8                        | goes by 8                | goes by 8                                       |
/// | 5                        | goes by 5                | errc::permit_limit_mismatch, naming both        |
/// | something else           | errc::no_permit_limit    | errc::no_permit_limit                           |
///
/// *Ordering*: strictly first come, first served: a waiter that wants many permits is not overtaken by one that wants
/// few. *Ownership*: none: each acquire is a node of its own, for any number of permits, and a client that holds some and
/// asks for more waits like any other. *Errors*: errc::permit_limit_exceeded when more permits are wanted than there are.
/// *Fencing*: holders overlap: no store's mark may be raised by their tokens. *Cost*: 1 round trip; 2 for a waiter.
/// *All else*: as recursive_mutex.
/// *In layout::curator*: the permit limit is what this object says and stands nowhere; a permit is a node, so take a few.
/// *Source*: Curator's InterProcessSemaphoreV2.
class semaphore : public acquirable<semaphore> {
 public:
  /// Goes by the permit limit that it finds when it acquires. Sends nothing. Throws errc::invalid_path and
  /// errc::invalid_option, naming the value.
  semaphore(session& session, std::string_view path, lock_options options = {});
  /// Says what the permit limit is: 1 to 1,000,000.
  semaphore(session& session, std::string_view path, std::int64_t permit_limit, lock_options options = {});
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore();

  /// As many permits, to be acquired together; acquire() and its kin are for one. Throws errc::invalid_option for less
  /// than 1 and for more than 1,000,000.
  [[nodiscard]] lock_view permits(std::int64_t count = 1);
  [[nodiscard]] lock_view as(owner of) { return permits(1).as(of); }

  /// What the servers say. At the longest lock_options::try_time_limit. 0 with an error: errc::no_permit_limit,
  /// errc::not_connected.
  [[nodiscard]] std::int64_t permit_limit() const;
  [[nodiscard]] std::int64_t permit_limit(std::error_code& ec) const;

  /// Changes it for all: 1 to 1,000,000. Waiters go by it at once; holders keep what they have. An object that says
  /// another one is refused with errc::permit_limit_mismatch at its next acquire. At the longest
  /// lock_options::try_time_limit.
  /// *Errors*, with nothing changed: errc::invalid_option; errc::not_connected; errc::wrong_recipe, errc::no_permit_limit
  /// for a lock node of another recipe or use; errc::not_in_layout. errc::outcome_unknown: set it again.
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
