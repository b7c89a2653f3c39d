#pragma once

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

/// A mutex among all processes that use the same path, which no thread owns: any thread may give it back.
///
///     zklock::semaphore_mutex nightly(session, "/locks/nightly");
///     zklock::grant g = nightly.acquire();      // here
///     worker.post([g = std::move(g)] { ... });  // given back there
///
/// | call                  | not held               | held, by this or any other thread         |
/// |-----------------------|------------------------|-------------------------------------------|
/// | lock(), acquire() …   | a contender, in the queue | waits, or is not in time: also the thread that holds it |
/// | unlock()              | contract violation     | gives back what lock() has taken: the calling thread's if there is one, else any |
/// | held(), token() …     | false, errc::not_owner | of what lock() has taken, likewise        |
///
/// *Ordering*: first come, first served, in the servers' order.
/// *Ownership*: none, but for as(). A second acquire never succeeds quietly: it waits for the first to be given back. A thread
/// that waits so for itself cannot be told from any other; after a twelfth of the session timeout it is warned of.
/// *Blocking, Threads, Time, Cancellation, Errors, Loss, Fencing, Lifetime, Cost*: as recursive_mutex, without
/// re-entry.
/// *In layout::curator*: a semaphore of one permit: 2 round trips, and try_acquire() is in vain while another contender
/// is just taking or trying it.
/// *On the wire*: as recursive_mutex; on one path the two exclude each other, and all that a recursive_mutex excludes.
/// In layout::curator: `<path>/locks` and `<path>/leases`, as a semaphore's; it excludes others of that layout and no
/// mutex.
/// *Source*: "Locks" in ZooKeeper's recipes; Apache Curator's InterProcessSemaphoreMutex, whose nodes it shares in
/// layout::curator alone.
class semaphore_mutex : public acquirable<semaphore_mutex>, public lockable<semaphore_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  semaphore_mutex(session& session, std::string_view path, lock_options options = {});
  semaphore_mutex(const semaphore_mutex&) = delete;
  semaphore_mutex& operator=(const semaphore_mutex&) = delete;
  ~semaphore_mutex();

  /// Does not wait; the removal goes on in the background. Quiet for a lost hold.
  void unlock() noexcept;

  // ---- of the hold that lock() has taken
  [[nodiscard]] bool held() const noexcept;
  /// Throws errc::not_owner.
  [[nodiscard]] std::stop_token lost() const;
  /// Throws errc::not_owner.
  [[nodiscard]] fencing_token token() const;

  /// See recursive_mutex::queue().
  [[nodiscard]] std::vector<participant> queue() const;
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;
  /// The mutex for this owner. What the owner has locked it alone unlocks; a second acquisition of it is errc::would_deadlock.
  [[nodiscard]] lock_view as(owner of) noexcept;
  /// The mutex as a part of a multi_lock.
  operator lock_view() & noexcept;  // NOLINT(google-explicit-constructor): a mutex is its own view

 private:
  friend class acquirable<semaphore_mutex>;
  friend class lockable<semaphore_mutex>;
  grant do_acquire(detail::wait_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::wait_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
