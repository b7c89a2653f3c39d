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

/// A source of servers for tests: testing::fake_ensemble::clients() returns one. Other programs pass addresses instead.
class connector {
 private:
  friend struct detail::connector_access;
  explicit connector(std::shared_ptr<client::factory> servers) noexcept : servers_(std::move(servers)) {}

  std::shared_ptr<client::factory> servers_;
};

/// The registration of a function that observes a session. The destructor waits until the function has returned, if the
/// function is running on another thread. After the destructor the function is not called again. A function may destroy
/// its own observer, and then runs to its end. An observer may outlive the session.
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

/// A program's session with ZooKeeper, from which locks are made. One is enough for a process with any number of locks.
///
///     zklock::session session("10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181/app", {.timeout = 10s});
///     if (!session.wait_connected_for(2s)) { ... }
///
/// | state                 | locks                                                                                   |
/// |-----------------------|-----------------------------------------------------------------------------------------|
/// | connecting            | acquiring waits for a server, within its time limit                                     |
/// | connected             | locks work normally                                                                     |
/// | suspended             | holds stand until their deadline; acquiring waits, as above; one try: not_connected     |
/// | expired               | holds are lost; waiters queue again in the new session (on an adopted handle they fail) |
/// | authentication_failed | holds are lost; everything is refused, for good: the servers refuse the credentials     |
/// | closed                | holds are lost; everything is refused                                                   |
///
/// *Threads*: any number of threads may use a session at once. *Blocking*: the constructor waits for name resolution,
/// not for a server. For close() and the destructor see session_options::close_time_limit. *Lifetime*: locks and grants
/// may outlive the session; waits then end with errc::session_closed, and holds are lost. A session may be destroyed in
/// callbacks of this library. A child of fork() cannot use it (errc::forked). *Cost*: five threads (on an adopted
/// handle three); a sync every timeout/5; 10 to 23 requests in each timeout while a lock is held or waited for.
class ZKLOCK_EXPORT session {
 public:
  /// Connects to `host[:port][,host[:port]...][/chroot]`. The default port is 2181; write an IPv6 address in brackets.
  /// The first acquisition creates a missing chroot. *Errors*, with the refused value: errc::invalid_server_list,
  /// errc::invalid_option, errc::unresolvable_host. If the system cannot start a thread: std::system_error.
  explicit session(std::string_view servers, session_options options = {});
  explicit session(connector servers, session_options options = {});
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();  ///< close(), with its error logged

  [[nodiscard]] session_state state() const noexcept;
  /// Waits until a server answers. False if none answers in time, if none ever will, or if a stop is requested.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_connected_for(const std::chrono::duration<Rep, Period>& time, std::stop_token stop = {}) {
    const double seconds = std::chrono::duration<double>(time).count();
    constexpr double most = 3e9;  // 95 years
    const double bounded = !(seconds > 0) ? 0 : seconds < most ? seconds : most;
    return wait_connected(std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * bounded)), std::move(stop));
  }

  /// The session timeout that the servers have granted; before the first connection the one that was asked for.
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept;
  /// Holds end this long before the earliest possible expiry. Default: 1/12 of the least timeout that was granted.
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept;
  /// Server and reason of the last failed attempt to connect by any session of this process, as in "10.0.0.1:2181:
  /// Connection refused". Empty once any of them has reached a server again, and on an adopted handle.
  [[nodiscard]] std::string last_connection_failure() const;
  [[nodiscard]] std::string servers() const;  ///< each host:port, no chroot; adopted: "the program's own handle"

  /// Until the returned object is destroyed, `observer` is called at every later change of the state, in order, on the
  /// session's notification thread. A change that is being delivered now may be reported, too. `observer` must not
  /// throw. If it is null: errc::invalid_option.
  [[nodiscard]] session_observer observe(std::function<void(const session_change&)> observer);

  [[nodiscard]] zklock::transaction transaction();  ///< writes, applied all or none: see <zklock/transaction.hpp>

  /// Ends every wait with errc::session_closed, ends every hold as lost, removes every contender, and closes the handle
  /// if the library has opened it. *Errors*: errc::release_unconfirmed if no server has confirmed the removals: the
  /// nodes then go with the ZooKeeper session. A second call waits for the first, and reports the same result.
  void close();
  void close(std::error_code& ec) noexcept;

 private:
  friend struct detail::session_access;
  bool wait_connected(std::chrono::nanoseconds limit, std::stop_token stop);

  std::shared_ptr<detail::session_impl> impl_;
};

}  // namespace zklock
