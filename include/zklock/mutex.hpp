#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

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

/// A mutex among all processes that use the same path, reentrant for its owner.
///
///     zklock::recursive_mutex orders(session, "/locks/orders");
///     {
///       std::scoped_lock guard(orders);
///       storage.write(record, orders.token());   // the store refuses a smaller token
///     }
///
/// A hold by lock() or a try_lock() form belongs to the calling thread, a hold by acquire() to no owner, and a hold by
/// `as(o)` to owner `o`. The effect of a call depends on what its owner has already of *this lock object*:
///
/// | call                    | owner has nothing  | owner has a hold | owner has a lost hold                     |
/// |-------------------------|--------------------|------------------|-------------------------------------------|
/// | lock(), as(o).acquire() | joins the queue    | one count more   | errc::lost, until all counts are released |
/// | unlock() after lock()   | contract violation | one lock() less  | one lock() less                           |
/// | held()                  | false              | true             | false                                     |
/// | lost(), token()         | errc::not_owner    | the hold's       | the hold's                                |
///
/// acquire() joins the queue. While this thread holds by lock(), acquire() and acquiring for another owner fail with
/// errc::would_deadlock. *Ordering*: first come, first served, in the servers' order; with lock_options::hand_over
/// waiters of the holder's lock object go first, within a bound. *Ownership*: a second object on the same path waits
/// for the first. Grants may be moved, released and destroyed on any thread. *Blocking*: a call blocks the calling
/// thread. Do not acquire in a callback of the program's ZooKeeper handle: errc::would_deadlock, if the library detects
/// it. *Threads*: any number. *Time, Errors*: see acquirable. *Loss, Fencing*: see grant. *Lifetime*: the mutex may be
/// destroyed before or after its session and grants. Its destruction ends waiting calls with errc::abandoned, and
/// releases holds by lock(). *Cost*: 1 round trip, or 2 to 3 behind another session's contender. The first use of a
/// path: 1 more. Re-entry: none. *Source*: "Locks" in ZooKeeper's recipes; excludes Curator's InterProcessMutex.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") recursive_mutex : public acquirable<recursive_mutex>,
                                                                 public lockable<recursive_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  recursive_mutex(session& session, std::string_view path, lock_options options = {});
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;
  ~recursive_mutex();

  /// Does not wait for the servers. Reports no loss. If the calling thread has no count of lock(), the call violates
  /// the contract: see set_contract_handler.
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- these are about the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< without a hold: throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< without a hold: throws errc::not_owner

  /// Lists the holders and waiters at this path, of all objects, processes and libraries, in the order of the queue:
  /// see participant. *Blocking*: at most lock_options::try_time_limit. *Errors*: as acquire(). *Cost*: 1 round trip,
  /// and 1 more for up to 128 participants, 2 more for up to 256, and so on.
  [[nodiscard]] std::vector<participant> queue() const;
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;
  [[nodiscard]] lock_view as(owner of) noexcept;  ///< the mutex for this owner
  operator lock_view() & noexcept;                // NOLINT(google-explicit-constructor): a mutex is its own view

 private:
  friend class acquirable<recursive_mutex>;
  friend class lockable<recursive_mutex>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
