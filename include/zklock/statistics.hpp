#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/session_state.hpp>

namespace zklock {

/// How often something took how long. Counted since the session was made.
struct duration_counts {
  /// The upper ends of the ranges, each included; the last range has none.
  static constexpr std::array<std::chrono::milliseconds, 15> up_to = [] {
    using ms = std::chrono::milliseconds;
    return std::array{ms{1},   ms{2},    ms{5},    ms{10},   ms{25},    ms{50},    ms{100},  ms{250},
                      ms{500}, ms{1000}, ms{2500}, ms{5000}, ms{10000}, ms{30000}, ms{60000}};
  }();

  std::array<std::uint64_t, up_to.size() + 1> counts{};  ///< of each range
  std::chrono::nanoseconds sum{0};

  [[nodiscard]] std::uint64_t count() const noexcept { return std::accumulate(counts.begin(), counts.end(), 0ULL); }
};

/// What the figures of a lock are of.
enum class lock_kind : std::uint8_t { mutex, write, read, permits, multi, election };
/// "mutex", "write" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(lock_kind kind) noexcept;

/// The locks of one lock_options::name and kind. Acquiring again what its owner holds is not counted. Of a multi-lock its
/// acquisitions are counted under no name, its holds at its parts.
struct lock_statistics {
  std::string name;  ///< empty: they have none. "other": of those behind the first 100 names
  lock_kind kind = lock_kind::mutex;

  // From the call on, by its result. Calls that are refused before they wait are not counted.
  duration_counts granted;
  duration_counts not_in_time;  ///< a try that found it busy, too
  duration_counts stopped;      ///< by a stop, or since the lock object has gone
  duration_counts failed;
  std::uint64_t turns = 0;     ///< of `granted`: by local hand-over or of a kept lock, without a request
  std::uint64_t relisted = 0;  ///< grants for which the queue was listed more than once; of a multi-lock at its parts

  // From the grant on, by its end.
  duration_counts released;
  std::uint64_t unconfirmed = 0;  ///< releases that have told errc::release_unconfirmed; of a multi-lock at its parts
  duration_counts lost;
  std::array<std::uint64_t, 6> lost_by{};  ///< by loss_reason

  std::size_t holds = 0;     ///< now; of an election: terms of this process
  std::size_t waits = 0;     ///< now: calls
  std::size_t removals = 0;  ///< released, and not yet known to be gone from the servers
  std::chrono::nanoseconds oldest_hold{0};
  std::chrono::nanoseconds oldest_wait{0};
};

/// The requests of one kind: heartbeats, too.
struct request_statistics {
  std::uint64_t done = 0;            ///< answered: applied, or read
  std::uint64_t refused = 0;         ///< answered: there is no such node, the version differs, …
  std::uint64_t failed = 0;          ///< no server has answered: the connection was lost, or it was not sent
  std::chrono::nanoseconds time{0};  ///< of all of them, from the sending on
};

/// What a session has done: see session::statistics(). The figures are read one after the other, while others change.
struct session_statistics {
  std::string session;  ///< its servers; any text that names it among several, for write_prometheus()
  session_state state = session_state::connecting;
  std::uint64_t sessions_opened = 0;
  std::uint64_t connections_lost = 0;
  std::chrono::milliseconds timeout{0};
  std::chrono::nanoseconds margin{0};
  /// How far ahead the local deadline is. Empty: nothing is held.
  std::optional<std::chrono::nanoseconds> deadline_left;
  /// The least share of the session timeout that was left of it while something was held, in the last 60 to 120 s; 0: a hold
  /// was lost by it. Sound with the default margin: above 0.4. Empty: nothing was held.
  std::optional<double> least_deadline_left;
  std::size_t watches = 0;      ///< at the servers
  double share_of_watches = 0;  ///< 0 to 1, of what it may watch: at 1 a waiter gets errc::too_many_watches
  std::uint64_t guarded_writes_refused = 0;  ///< since a grant was lost
  /// That the session runs now, and its ZooKeeper handle: 5. An adopted handle's own are the program's. exit_on_loss() has one.
  std::size_t threads = 0;

  static constexpr std::array<std::string_view, 9> request_kinds{"create", "list", "get",   "exists", "set",
                                                                 "remove", "sync", "multi", "get_acl"};
  std::array<request_statistics, request_kinds.size()> requests{};  ///< by request_kinds
  std::vector<lock_statistics> locks{};                             ///< by name, then kind
};

}  // namespace zklock
