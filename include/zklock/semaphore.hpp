#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/queue.hpp>
#include <zklock/session.hpp>
#include <zklock/view.hpp>

namespace zklock {

namespace detail {
class lock_state;
class semaphore_limit;
}  // namespace detail

/// Some permits among all processes that use the same path: at most `limit` are held at any time. How many there are
/// stands on the server, and is the same for all.
///
///     zklock::semaphore pool(session, "/locks/pool", 8);
///     if (zklock::grant g = pool.permits(3).try_acquire_for(1s)) {   // all three, or none
///       work_with(3);
///     }
///
/// | what the lock node says | semaphore(session, path)  | semaphore(session, path, 8)                     |
/// |-------------------------|---------------------------|-------------------------------------------------|
/// | nothing, or is not there | errc::no_limit           | 8 is stored, with the first acquire             |
/// | 8                       | goes by 8                 | goes by 8                                       |
/// | 5                       | goes by 5                 | errc::limit_mismatch, naming both               |
/// | something else          | errc::no_limit            | errc::no_limit                                  |
///
/// *Ordering*: strictly first come, first served: a waiter that wants many permits is not overtaken by one that wants
/// few. So the holders are the head of the queue; a permit that the first waiter cannot use stays idle for it.
/// *Ownership*: none. Each acquire is a node of its own; a grant may be given back by any thread. A thread that holds
/// some and asks for more waits like any other, for itself too. unlock() of a view gives back what lock() of a view of
/// as many permits has taken: the calling thread's if there is one, else any. What an owner that as() names has locked it
/// alone unlocks; its permits do not re-enter either.
/// *Blocking, Threads, Time, Cancellation*: see acquirable.
/// *Errors*: errc::limit_exceeded when more permits are wanted than there are, at once; a waiter for which the limit
/// was lowered too far ends with it when it becomes first. errc::no_limit, errc::limit_mismatch: as above, when
/// acquiring.
/// *Loss*: see grant. The permits of a dead holder come back with the end of its session.
/// *Fencing*: holders overlap: no store's mark may be raised by their tokens.
/// *Lifetime*: as recursive_mutex.
/// *Cost*: permits there: 1 round trip. Not there: 2, then nothing until the queue moves. A waiter watches its
/// predecessor, until there are holders alone before it; then it is the first, and watches the lock node: it alone also
/// wakes when a contender arrives, for 1 round trip each. Granted after a wait, or with a contender behind: one request
/// more, which is not waited for. One node for any number of permits. For a session that has been first waiter the
/// servers keep one watch on the lock node, until the limit changes or the session ends.
/// *In layout::curator*: the first contender at the mutex in `<path>/locks` waits there for its permits, and all others
/// wait behind it; try_acquire() is in vain while another contender has that mutex, if only for a moment. A permit is a
/// node: for n permits n creates and n lists in 2 round trips (take a few, not thousands); one of them waits for all.
/// The limit is what this object says, and stands nowhere: errc::no_limit without one, never errc::limit_mismatch;
/// set_limit() is errc::not_in_layout.
/// *On the wire*: `<path>/permit-<32 hex digits>-<n>-NNNNNNNNNN`; the lock node, which stays, has the limit (one that
/// was there before, empty, has a child `limit-keeper` as well, since it may be a container). In layout::curator: n
/// nodes `<path>/leases/_c_<uuid>-lease-NNNNNNNNNN`, made while a node in `<path>/locks` is first.
/// *Source*: Apache Curator's InterProcessSemaphoreV2, whose nodes it shares in layout::curator alone. There n permits
/// are taken one by one; two that want two each may wait for each other for ever.
class semaphore {
 public:
  /// Takes the limit that it finds when it acquires. Sends nothing. Throws errc::invalid_path and errc::invalid_option.
  semaphore(session& session, std::string_view path, lock_options options = {});
  /// Says what the limit is: 1 to 1,000,000. The first acquire of an object with a limit stores it.
  semaphore(session& session, std::string_view path, std::int64_t limit, lock_options options = {});
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore();

  /// As many permits, to be acquired together. Throws errc::invalid_option for 0 and for more than 1,000,000.
  [[nodiscard]] lock_view permits(std::int64_t count = 1);

  /// How many permits there are, as the servers say now: one look, bounded by lock_options::try_limit
  /// (errc::not_connected). errc::no_limit if no client has said it yet, or the lock node says something else.
  [[nodiscard]] std::uint32_t limit() const;
  [[nodiscard]] std::uint32_t limit(std::error_code& ec) const;  ///< 0 on an error

  /// Changes how many there are, for all: 1 to 1,000,000 (errc::invalid_option). If this object has said what the limit
  /// is, it says the new one from now on; other objects that say the old one are refused with errc::limit_mismatch at
  /// their next acquire, and so may be an acquire of this object that has begun meanwhile. Waiters go by the new limit
  /// at once. Holders keep what they have: if the limit is lowered, no waiter is let in until they are few enough.
  ///
  /// A lock node that is not there is made; one that says nothing is given the limit. Nothing is changed, and the error
  /// is, errc::wrong_recipe for one that contenders of another recipe stand in, errc::no_limit for one whose data is no
  /// limit. Bounded by lock_options::try_limit: then errc::not_connected, and nothing was changed, or
  /// errc::outcome_unknown, when the answer to the change itself has been lost: ask limit(), or set it again.
  /// *Cost*: 2 round trips; 1 if there is nothing to change.
  void set_limit(std::int64_t limit);
  void set_limit(std::error_code& ec, std::int64_t limit);

  /// The holders and the waiters: see recursive_mutex::queue().
  [[nodiscard]] std::vector<participant> queue() const;
  [[nodiscard]] std::vector<participant> queue(std::error_code& ec) const;

  [[nodiscard]] const std::string& path() const noexcept;

 private:
  const std::shared_ptr<detail::semaphore_limit> limit_;
  const std::shared_ptr<detail::lock_state> state_;
};

}  // namespace zklock
