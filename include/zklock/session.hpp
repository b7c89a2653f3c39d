#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <zklock/error.hpp>
#include <zklock/options.hpp>
#include <zklock/session_state.hpp>

namespace zklock {

class transaction;

namespace client {
class factory;
}
namespace detail {
class observation;
class session_impl;
struct connector_access;
struct session_access;
}  // namespace detail

/// A source of servers for tests: testing::fake_ensemble::clients() gives one. Programs pass addresses instead.
class connector {
 private:
  friend struct detail::connector_access;
  explicit connector(std::shared_ptr<client::factory> servers) noexcept : servers_(std::move(servers)) {}

  std::shared_ptr<client::factory> servers_;
};

/// Keeps a function observing a session. After its destructor has returned, the function does not run and is not called
/// again, as with std::stop_callback (a function that destroys its own observer runs to its end). May outlive the
/// session.
class [[nodiscard]] ZKLOCK_EXPORT session_observer {
 public:
  session_observer() noexcept = default;
  session_observer(session_observer&& other) noexcept;
  session_observer& operator=(session_observer&& other) noexcept;
  ~session_observer();

 private:
  friend class session;
  explicit session_observer(std::shared_ptr<detail::observation> of) noexcept : observation_(std::move(of)) {}

  std::shared_ptr<detail::observation> observation_;
};

/// A program's session with ZooKeeper: what locks are made from. One for a process is enough, for any number of locks.
///
///     zklock::session session("10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181/app", {.timeout = 10s});
///     if (!session.wait_connected_for(2s)) { ... }
///
/// | state                 | locks                                                                                   |
/// |-----------------------|-----------------------------------------------------------------------------------------|
/// | connecting            | acquiring waits for a server, within its limit                                          |
/// | connected             | locks work normally                                                                     |
/// | suspended             | holds stand until their deadline; acquiring waits, as above; try_acquire() fails        |
/// | expired               | holds are lost; waiters queue again in the new session (on an adopted handle: refused)  |
/// | authentication_failed | everything is refused: the servers refuse the credentials, for good                     |
/// | closed                | holds are lost; everything is refused                                                   |
///
/// *Threads*: any, any number at once. *Blocking*: the constructor waits for name resolution, not for a server; close()
/// and the destructor: see session_options::close_time_limit. *Lifetime*: locks and grants may outlive it; their waits
/// end with errc::session_closed, their holds are lost. May be destroyed in callbacks of this library. A child of
/// fork() can do nothing with it (errc::forked). *Cost*: five threads; a sync every timeout/5; 10 to 20 requests in
/// each timeout while a lock is held or waited for (docs/guide/sessions.md).
class ZKLOCK_EXPORT session {
 public:
  /// Connects to `host[:port][,host[:port]...][/chroot]`; the port is 2181 where none is named, an address of IPv6 may
  /// stand in brackets, the first acquisition creates a missing chroot. Throws errc::invalid_server_list,
  /// errc::invalid_option, errc::unresolvable_host, each naming the value; std::system_error when the system starts no
  /// thread.
  explicit session(std::string_view servers, session_options options = {});
  explicit session(connector servers, session_options options = {});
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();  ///< close(), with its error logged

  [[nodiscard]] session_state state() const noexcept;
  /// Waits until a server answers. False if none did in time, none ever will, or stop was requested.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_connected_for(const std::chrono::duration<Rep, Period>& time, std::stop_token stop = {}) {
    const double seconds = std::chrono::duration<double>(time).count();
    constexpr double most = 3e9;  // some hundred years
    const double bounded = !(seconds > 0) ? 0 : seconds < most ? seconds : most;
    return wait_connected(std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * bounded)), std::move(stop));
  }

  /// What the servers have granted; before the first connection what was asked for.
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept;
  /// Holds end this long before the earliest possible expiry. Computed for the least timeout that was granted.
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept;
  /// What the last failed attempt to connect met, of all sessions of this process: "10.0.0.1:2181: Connection refused".
  /// Empty: a server was reached since, or it is not known.
  [[nodiscard]] std::string last_connection_failure() const;
  [[nodiscard]] std::string servers() const;  ///< as they were given

  /// Calls `observer` at every change of the state from now on (a change that is just being delivered may be among
  /// them), in order, on the session's notification thread, as long as the result lives. Any number of them. It must
  /// not throw.
  [[nodiscard]] session_observer observe(std::function<void(const session_change&)> observer);

  [[nodiscard]] zklock::transaction transaction();  ///< writes that need a lock: see <zklock/transaction.hpp>

  /// Ends every wait with errc::session_closed, loses every hold, removes every contender, closes the handle if the
  /// library has opened it. *Errors*: errc::release_unconfirmed when no server has confirmed the removals: the nodes go
  /// with the session.
  void close();
  void close(std::error_code& ec) noexcept;

 private:
  friend struct detail::session_access;
  bool wait_connected(std::chrono::nanoseconds limit, std::stop_token stop);

  std::shared_ptr<detail::session_impl> impl_;
};

}  // namespace zklock
