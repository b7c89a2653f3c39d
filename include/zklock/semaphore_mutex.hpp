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

/// A mutex among all processes that use the same path. No thread owns it: any thread may release it.
///
///     zklock::semaphore_mutex nightly(session, "/locks/nightly");
///     zklock::grant g = nightly.acquire();      // here
///     worker.post([g = std::move(g)] { ... });  // given back there
///
/// | call                  | not held                  | held, on any thread                                       |
/// |-----------------------|---------------------------|-----------------------------------------------------------|
/// | lock(), acquire()     | a contender, in the queue | waits, or is not in time, also on the thread that holds   |
/// | unlock()              | contract violation        | releases what lock() has taken, this thread's first       |
/// | held()                | false                     | whether the hold that lock() has taken is still held      |
/// | lost(), token()       | errc::not_owner           | of the hold that lock() has taken                         |
///
/// Only `as(o)` unlocks what `as(o)` has locked; a second acquisition of `o` is errc::would_deadlock. If a thread waits
/// for a grant that it took itself, the log has a warning after a twelfth of the session timeout. *All else*: as
/// recursive_mutex, without re-entry; on one path the two exclude each other. *In layout::curator*: a semaphore of one
/// permit, at other nodes: it excludes that layout's semaphores, and no mutex. *Source*: Curator's
/// InterProcessSemaphoreMutex.
class ZKLOCK_EXPORT ZKLOCK_CAPABILITY("mutex") semaphore_mutex : public acquirable<semaphore_mutex>,
                                                                 public lockable<semaphore_mutex> {
 public:
  /// Sends nothing. Throws errc::invalid_path and errc::invalid_option, naming the value.
  semaphore_mutex(session& session, std::string_view path, lock_options options = {});
  semaphore_mutex(const semaphore_mutex&) = delete;
  semaphore_mutex& operator=(const semaphore_mutex&) = delete;
  ~semaphore_mutex();

  void unlock() noexcept ZKLOCK_RELEASE();  ///< does not wait for the servers; quiet for a lost hold

  // ---- of the hold that lock() has taken
  [[nodiscard]] bool held() const noexcept;
  [[nodiscard]] std::stop_token lost() const;  ///< throws errc::not_owner
  [[nodiscard]] fencing_token token() const;   ///< likewise

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
