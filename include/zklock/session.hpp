#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <zklock/error.hpp>
#include <zklock/options.hpp>

namespace zklock {

class transaction;

namespace client {
class factory;
}
namespace detail {
class session_impl;
struct session_access;
}  // namespace detail

enum class session_state : std::uint8_t {
  connecting,             ///< no ZooKeeper session yet (or not again yet, after one has ended)
  connected,              ///< a server answers
  suspended,              ///< no server at the moment; the session lives on, as far as is known
  expired,                ///< the session is over. A handle of our own is replaced; an adopted one is not
  authentication_failed,  ///< the servers have refused the credentials: for good
  closed,                 ///< by close() or the destructor: for good
};

/// What a session's observer is told.
struct session_change {
  session_state state = session_state::connecting;
  /// `connected`, in a ZooKeeper session that was not there before: whatever was held in the last one is lost.
  bool new_session = false;
};

/// "connected" …: for messages.
[[nodiscard]] std::string_view to_string(session_state state) noexcept;

/// A program's session with ZooKeeper: what locks are made from. One for a process is enough, for any number of locks.
///
///     zklock::session session("10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181/app", {.timeout = 10s});
///     if (!session.wait_connected_for(2s)) { ... }
///
/// | state      | locks                                                                                         |
/// |------------|-----------------------------------------------------------------------------------------------|
/// | connecting | acquiring waits for a server, within its limit                                                |
/// | connected  | work                                                                                          |
/// | suspended  | holds stand until their deadline; acquiring waits, within its limit; try_acquire() fails      |
/// | expired    | holds are lost; waiters queue again in the new session (on an adopted handle: are refused)    |
/// | closed     | holds are lost; everything is refused                                                         |
///
/// *Threads*: any, any number at once. The session has a thread for time, one for notices, one that closes the handle,
/// and the C client's two.
/// *Blocking*: constructing does not wait for a server. close() and the destructor do: see
/// session_options::close_limit. Host names are resolved by the C client whenever a handle is made, here and after each
/// lost session: a resolver that hangs holds up what waits for the session meanwhile (never held()). Addresses, or a
/// local resolver, do not.
/// *Servers*: the C client passes over some of an even number of addresses, so a list of even length is given to it
/// with one entry repeated. Names that stand for several addresses each are counted as one: prefer addresses, or one
/// name for all.
/// *Lifetime*: locks and grants may outlive it; their waits end with errc::session_closed, their holds are lost. May be
/// destroyed on any thread, in callbacks of this library too. A child of fork() can do nothing with it (errc::forked).
/// *Cost*: a sync every timeout/5, which stands for the C client's pings; while a lock is held some 20 requests a
/// timeout, 4 of them writes; while one is waited for 10, 3 of them writes (docs/design/deadline.md). One read for each
/// hold that lasts timeout/12; beyond some 10,000 holds at once up to 100 reads every timeout/12 more.
class session {
 public:
  /// Connects to `host[:port][,host[:port]…][/chroot]`, to port 2181 where none is named; an address of IPv6 may stand
  /// in brackets. A chroot that does not exist is made with the first lock. Throws errc::invalid_server_list,
  /// errc::invalid_option, errc::unresolvable_host, each naming the value, and
  /// std::errc::resource_unavailable_try_again when no threads are to be had (after a lost session that is tried
  /// again).
  explicit session(std::string_view servers, session_options options = {});
  /// For tests, on a zklock::testing::fake_ensemble; and for adopt().
  explicit session(std::shared_ptr<client::factory> servers, session_options options = {});
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  /// close(), with its error logged.
  ~session();

  [[nodiscard]] session_state state() const noexcept;
  /// Waits until a server answers. False if none did in time, or none ever will (closed, credentials refused).
  template <class Rep, class Period>
  [[nodiscard]] bool wait_connected_for(const std::chrono::duration<Rep, Period>& limit) {
    const double seconds = std::chrono::duration<double>(limit).count();
    constexpr double most = 3e9;  // some hundred years
    const double bounded = !(seconds > 0) ? 0 : seconds < most ? seconds : most;
    return wait_connected(std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * bounded)));
  }

  /// What the servers have granted; the one asked for until they have.
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept;
  /// Holds end this long before the earliest possible expiry: see session_options::margin. Of the least timeout that
  /// the servers have granted to this session.
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept;
  /// The servers, as they were given.
  [[nodiscard]] std::string servers() const;

  /// `observer` is told of every change of the state, in order, on the session's notification thread. One at a time; a
  /// new one replaces the last, null ends it. It must not throw.
  void observe(std::function<void(const session_change&)> observer);

  /// Writes that are done all together, and only while a lock is held: see <zklock/transaction.hpp>.
  [[nodiscard]] zklock::transaction transaction();

  /// Ends every wait with errc::session_closed, loses every hold, removes every contender, closes the handle if it is
  /// our own. Throws errc::release_unconfirmed when no server has confirmed that the contenders are gone: they stay
  /// until the servers end the session. Later calls do nothing.
  void close();
  void close(std::error_code& ec) noexcept;

 private:
  friend struct detail::session_access;
  bool wait_connected(std::chrono::nanoseconds limit);

  std::shared_ptr<detail::session_impl> impl_;
};

}  // namespace zklock
