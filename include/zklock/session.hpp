#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <zklock/clock.hpp>
#include <zklock/error.hpp>
#include <zklock/held_lock.hpp>
#include <zklock/lock_event.hpp>
#include <zklock/node.hpp>
#include <zklock/options.hpp>
#include <zklock/owner.hpp>
#include <zklock/session_state.hpp>
#include <zklock/statistics.hpp>

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

/// A source of servers for tests: see testing::fake_ensemble::clients(). Other programs pass addresses.
class connector {
 private:
  friend struct detail::connector_access;
  explicit connector(std::shared_ptr<client::factory> servers) noexcept : servers_(std::move(servers)) {}

  std::shared_ptr<client::factory> servers_;
};

/// The registration of an observer function. After the destructor the function is not called again. While another
/// thread runs the function, the destructor waits, at most for session_options::close_time_limit; in callbacks of this
/// library it does not wait: docs/guide/threads.md. An observer may outlive the session.
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
/// - *States*, and what locks do in each: see session_state.
/// - *Threads*: any number at once. A child of fork() cannot use a session (errc::forked).
/// - *Blocking*: the constructor waits for name resolution, not for a server.
/// - *Lifetime*: locks and grants may outlive the session. A session may be destroyed in callbacks of this library.
/// - *Cost*: five threads (on an adopted handle three), and at least one request every timeout/5.
/// - *Guide*: docs/guide/sessions.md.
class ZKLOCK_EXPORT session {
 public:
  /// Connects to `host[:port][,host[:port]...][/chroot]`. The default port is 2181; write an IPv6 address in brackets.
  /// The chroot stands once, behind the last host; the first acquisition creates it if it is missing. *Errors*:
  /// errc::invalid_server_list, errc::invalid_option, errc::unresolvable_host; std::system_error if the system cannot
  /// start a thread.
  explicit session(std::string_view servers, session_options options = {});
  explicit session(connector servers, session_options options = {});
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();  ///< close(), with its error logged

  [[nodiscard]] session_state state() const noexcept;
  /// Waits until a server answers. False if no server answers in time, if the session is closed, if its credentials are
  /// refused, or if a stop is requested.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_connected_for(const std::chrono::duration<Rep, Period>& time, std::stop_token stop = {}) {
    return wait_connected(detail::bounded_time(time), std::move(stop));
  }

  /// The session timeout that the servers have granted; before the first connection: the one that was asked for.
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept;
  /// Holds end this long before the earliest possible expiry: session_options::margin.
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept;
  /// The last failed attempt of this session to connect: "10.0.0.1:2181: Connection refused". Empty while it is connected.
  /// On an adopted handle: empty, unless the servers refuse it, since their data are older than what it has seen.
  [[nodiscard]] std::string last_connection_failure() const;
  [[nodiscard]] std::string servers() const;  ///< each host:port, no chroot; adopted handle: "the program's own handle"

  /// Calls `observer` at every later change of the state, in order, on the session's notification thread, until the
  /// returned object is destroyed. `observer` must not throw. Null: errc::invalid_option.
  [[nodiscard]] session_observer observe(std::function<void(const session_change&)> observer);

  /// Calls `observer` with what becomes of the acquisitions of this session's locks from here on, in order, on the session's
  /// notification thread, until the returned object is destroyed: for traces, an audit, a log. `observer` must not throw. When
  /// 1,024 calls of observers are due and not yet made, events are dropped, and counted (lock_event::dropped). *Cost*: without an
  /// observer none; with one about 1 us and an allocation each; an `enqueued` reads the list that the client has once more.
  /// *Errors*: errc::invalid_option: null; errc::forked.
  [[nodiscard]] lock_observer observe_locks(std::function<void(const lock_event&)> observer);

  /// What this session has done, and what it holds and waits for. From memory; nothing waits for it.
  /// <zklock/prometheus.hpp> writes it. *Errors*: errc::forked.
  [[nodiscard]] session_statistics statistics() const;

  /// What the lock objects of this session hold, each part of a multi-lock by itself. From memory. *Errors*: errc::forked.
  [[nodiscard]] std::vector<held_lock> grants() const;
  /// Gives back all counts of this owner on all locks of this session, whichever thread has taken them, without waiting for the
  /// servers. Returns what had been lost. Its grants are as lost ones from here on (release(): errc::lost), and what lock()
  /// has taken must not be unlocked any more. A call of the owner that is under way goes on. *Errors*: errc::forked.
  std::vector<held_lock> release_all(const owner& of);

  /// Reads a node. Empty: there is none at `path`.
  ///
  ///     if (const auto limits = session.get("/app/limits")) { apply(limits->data); }
  ///
  /// Within one ZooKeeper session a later call shows no older state than an earlier one. To be told of changes:
  /// <zklock/watched_value.hpp>. *Blocking*: waits for a connection and the answer, at most get_options::time_limit.
  /// *Errors*: errc::not_connected after that, errc::abandoned after a stop, errc::permission_denied,
  /// errc::invalid_path; those of a session. *Cost*: 1 round trip that reads; fresh: with a write beside it.
  [[nodiscard]] std::optional<node_data> get(std::string_view path, const get_options& how = {});
  [[nodiscard]] std::optional<node_data> get(std::string_view path, const get_options& how, std::error_code& ec);

  [[nodiscard]] zklock::transaction transaction();  ///< writes, applied all or none: see <zklock/transaction.hpp>

  /// Ends every wait with errc::session_closed and every hold as lost, removes every contender, and closes the handle
  /// if the library has opened it. Waits for the servers at most about 5 s, on an adopted handle
  /// session_options::close_time_limit; for callbacks that run, to the end of close_time_limit, and in callbacks of this
  /// library not at all. A second call waits in the same way, and reports the same. *Errors*: errc::release_unconfirmed
  /// if nodes may still stand; they go with their ZooKeeper session.
  void close();
  void close(std::error_code& ec) noexcept;

 private:
  friend struct detail::session_access;
  bool wait_connected(std::chrono::nanoseconds limit, std::stop_token stop);

  std::shared_ptr<detail::session_impl> impl_;
};

}  // namespace zklock
