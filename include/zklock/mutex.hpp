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
/// lock() and try_lock() acquire for the calling thread; calls through `as(o)`, for the owner `o`; acquire(), for no
/// owner. The effect of a call depends on what its owner has already of *this lock object*:
///
/// | call                    | owner has nothing  | owner has a hold | owner has a lost hold                     |
/// |-------------------------|--------------------|------------------|-------------------------------------------|
/// | lock(), as(o).acquire() | joins the queue    | one count more   | errc::lost, until all counts are released |
/// | unlock()                | contract violation | one lock() less  | one lock() less                           |
/// | held()                  | false              | true             | false                                     |
/// | lost(), token()         | errc::not_owner    | the hold's       | the hold's                                |
///
/// - acquire() joins the queue. While this thread holds by lock(), acquire() and acquiring for another owner fail with
///   errc::would_deadlock.
/// - *Ordering*: first come, first served. With lock_options::hand_over, waiters of the holder's lock object go first,
///   for a limited time and number.
/// - *Ownership*: a second object on the same path waits for the first.
/// - *Threads*: any number. In a callback of the program's ZooKeeper handle do not acquire: errc::would_deadlock, if
///   the library detects it.
/// - *Time, Errors*: see acquirable. *Loss, Fencing*: see grant.
/// - *Lifetime*: the mutex may be destroyed before or after its session and grants. Its destruction ends waiting calls
///   with errc::abandoned, and releases holds by lock().
/// - *Cost*: 1 round trip, or 2 to 3 behind another session's contender. Re-entry: none.
/// - *Source*: "Locks" in ZooKeeper's recipes. *Guide*: docs/guide/mutexes.md.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") recursive_mutex : public acquirable<recursive_mutex>,
                                                                 public lockable<recursive_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  recursive_mutex(session& session, std::string_view path, lock_options options = {});
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;
  ~recursive_mutex();

  /// Does not wait for the servers; reports no loss. Without a count of lock() on this thread: contract violation
  /// (set_contract_handler).
  void unlock() noexcept ZKLOCK_RELEASE();

  // ---- these are about the calling thread's hold
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< without a hold: throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< without a hold: throws errc::not_owner

  /// The holders and waiters at this path, of all objects, processes and libraries, in the queue's order: see
  /// participant. Takes at most lock_options::try_time_limit. *Errors*: as acquire().
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
