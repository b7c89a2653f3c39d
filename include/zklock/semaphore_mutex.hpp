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

/// A mutex among all processes that use the same path. No thread owns a hold: any thread may release it.
///
///     zklock::semaphore_mutex nightly(session, "/locks/nightly");
///     zklock::grant g = nightly.acquire();      // on this thread
///     worker.post([g = std::move(g)] { ... });  // released on the worker's thread
///
/// | call              | this object has no hold by lock() | this object has a hold by lock()                         |
/// |-------------------|-----------------------------------|----------------------------------------------------------|
/// | lock(), acquire() | joins the queue                   | joins the queue and waits, also on the thread that holds |
/// | unlock()          | contract violation                | releases the hold that this thread locked, if there is   |
/// |                   |                                   | one; otherwise the hold that another thread locked       |
/// | held()            | false                             | whether the hold that unlock() would release is held     |
/// | lost(), token()   | errc::not_owner                   | those of the hold that unlock() would release            |
///
/// - Only `as(o).unlock()` releases a hold by `as(o).lock()`. Acquiring fails with errc::would_deadlock if `o` acquires
///   again what it holds, or on a thread that has locked a multi_lock with this part.
/// - In layout::native this lock and a recursive_mutex on one path exclude each other. In layout::curator a
///   semaphore_mutex is a semaphore of one permit, and excludes no recursive_mutex.
/// - *All else*: as recursive_mutex, without re-entry.
/// - *Source*: Curator's InterProcessSemaphoreMutex. *Guide*: docs/guide/mutexes.md.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") semaphore_mutex : public acquirable<semaphore_mutex>,
                                                                 public lockable<semaphore_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  semaphore_mutex(session& session, std::string_view path, lock_options options = {});
  semaphore_mutex(const semaphore_mutex&) = delete;
  semaphore_mutex& operator=(const semaphore_mutex&) = delete;
  ~semaphore_mutex();

  void unlock() noexcept ZKLOCK_RELEASE();  ///< does not wait for the servers; reports no loss

  // ---- these are about the hold that unlock() would release
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< without a hold: throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< without a hold: throws errc::not_owner

  [[nodiscard]] std::vector<participant> queue() const;  ///< see recursive_mutex
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;
  [[nodiscard]] lock_view as(owner of) noexcept;  ///< the mutex for this owner
  operator lock_view() & noexcept;                // NOLINT(google-explicit-constructor): a mutex is its own view

 private:
  friend class acquirable<semaphore_mutex>;
  friend class lockable<semaphore_mutex>;
  grant do_acquire(detail::time_limit limit, std::error_code* ec, std::stop_token stop);
  bool lock_within(detail::time_limit limit);

  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
