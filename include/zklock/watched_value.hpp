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

#include <zklock/clock.hpp>
#include <zklock/grant.hpp>
#include <zklock/node.hpp>
#include <zklock/session.hpp>

namespace zklock {

namespace detail {
template <class View>
class view_observation;
struct watched_node;
namespace calls {
struct update;
struct wait_change;
}  // namespace calls
}  // namespace detail

/// What is known of a watched node.
struct value_view {
  enum class state : std::uint8_t {
    unknown,  ///< no server has answered yet
    present,  ///< `node` is its value
    absent,   ///< there is no node
    refused,  ///< the servers do not let this session read it: `error`
  };
  state is = state::unknown;
  std::optional<node_data> node{};
  std::error_code error{};
  /// False from the loss of the connection until the first answer behind the next one: it may have changed.
  bool current = false;
  boot_clock::time_point as_of{};  ///< when a server last showed it, or said that it is current
  std::uint64_t change = 0;        ///< grows by one with each change of any of these

  [[nodiscard]] explicit operator bool() const noexcept { return node.has_value(); }
};

/// The names of the values: "present", "unknown" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(value_view::state value) noexcept;

/// The registration of an observer function of a watched_value; see session_observer, which it is like.
class [[nodiscard]] ZKLOCK_EXPORT value_observer {
 public:
  value_observer() noexcept = default;
  value_observer(value_observer&& other) noexcept;
  value_observer& operator=(value_observer&& other) noexcept;
  ~value_observer();

 private:
  friend class watched_value;
  explicit value_observer(std::shared_ptr<detail::view_observation<value_view>> of) noexcept
      : observation_(std::move(of)) {}

  std::shared_ptr<detail::view_observation<value_view>> observation_;
};

/// The value of one node, kept up to date by a watch: shared configuration.
///
///     zklock::watched_value limits(session, "/app/limits");
///     zklock::value_observer told = limits.observe([](const zklock::value_view& now) {
///       if (now) { apply(now.node->data); }
///     });
///     limits.update([](const std::string& old) { return raise(old); });
///
/// - *Order*: no view is older than the one before, across reconnects, servers, expiries and readopt(). Values between two
///   reads may be missed, and an absence between two values; never the last one. Compare values by mzxid.
/// - *Exception*: a client that takes the right to read away from this session's credentials while the value is watched:
///   newer servers then keep the change to themselves (F201), and the value stays until the node is read in a new session.
/// - *Servers that have lost their data*: the first value of a new session counts, whatever its numbers.
/// - *No room for a watch* (docs/guide/limitations.md): it is read every twelfth of the session timeout.
/// - *Threads*: any number. *Blocking*: the constructor and current() do not wait.
/// - *Fork*: in a child each call fails with errc::forked.
/// - *Lifetime*: may outlive the session. After session::close() current() keeps the last value, not current. A value that
///   was moved from may only be destroyed, or assigned to.
/// - *Cost*: 1 read a change; a reconnect nothing, but 1 request for all values of a session; no thread.
/// - *Source*: NodeCache and SharedValue of Apache Curator. *Guide*: docs/guide/shared_configuration.md.
class ZKLOCK_EXPORT watched_value {
 public:
  /// *Errors*: errc::invalid_path, errc::forked.
  watched_value(session& in, std::string_view path);
  watched_value(watched_value&& other) noexcept;
  watched_value& operator=(watched_value&& other) noexcept;
  ~watched_value();

  [[nodiscard]] const std::string& path() const noexcept;
  /// From memory, without a request. *Errors*: errc::forked.
  [[nodiscard]] value_view current() const;
  /// The first view whose `change` is greater than `after`. Empty: not in time, or a stop was requested. `after` = 0: the
  /// first that is known. *Errors*: those that end it, for example errc::session_closed.
  template <class Rep, class Period>
  [[nodiscard]] std::optional<value_view> wait_change(std::uint64_t after,
                                                      const std::chrono::duration<Rep, Period>& time,
                                                      std::stop_token stop = {}) const {
    return wait_change_for(after, detail::bounded_time(time), std::move(stop));
  }

  /// Calls `f` with the view at hand, and then at each change, with the latest view alone: one call at a time, in order, on
  /// the session's notification thread, until the returned object is destroyed. A slow `f` misses views, never the last.
  /// `f` must not throw. Null: errc::invalid_option.
  [[nodiscard]] value_observer observe(std::function<void(const value_view&)> f);

  /// Reads, calls `f(old data)`, writes what it returns if the node still has the version that was read; else all of it
  /// again. Returns what was written; current() shows that, or a later value. If `f` throws, nothing is written. A node
  /// that was deleted, and made and written as often again meanwhile, is taken for the one that was read. *Blocking*: at
  /// most `time_limit`, and 2/3 of the session timeout for an answer.
  ///
  /// | error                | written | because                                                               |
  /// |----------------------|---------|-----------------------------------------------------------------------|
  /// | node_missing         | no      | there is no node: create it with a transaction                        |
  /// | not_connected        | no      | `time_limit` is over                                                  |
  /// | **outcome_unknown**  | **?**   | an answer was lost, and it cannot be found out what became of it      |
  /// | lost, not_owner      | no      | with a grant: see transaction                                         |
  /// | request_too_large    | no      | more than about 1 MB                                                  |
  /// | another              | no      | permission_denied; those of a session                                 |
  ///
  /// With a grant of the mutex, or the write side, or a term of the election, that all writers of this node hold, a lost answer
  /// is found out: outcome_unknown is left only behind a loss, or at `time_limit`. It ends with the hold: errc::lost. One
  /// update at a time under one hold.
  node_data update(const std::function<std::string(const std::string&)>& f,
                   std::chrono::milliseconds time_limit = std::chrono::seconds(10));
  node_data update(const grant& guard, const std::function<std::string(const std::string&)>& f,
                   std::chrono::milliseconds time_limit = std::chrono::seconds(10));

 private:
  friend struct detail::calls::update;
  friend struct detail::calls::wait_change;
  std::optional<value_view> wait_change_for(std::uint64_t after, std::chrono::nanoseconds limit,
                                            std::stop_token stop) const;

  std::shared_ptr<detail::watched_node> node_;
};

}  // namespace zklock
