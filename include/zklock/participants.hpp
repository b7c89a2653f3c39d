#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/queue.hpp>
#include <zklock/session.hpp>

/// Holders and waiters, without a lock object: at one path, or at all locks below a path.
///
///     for (const zklock::listed_lock& one : zklock::locks_below(session, "/locks")) {
///       std::cout << one.path << ": " << one.participants.size() << '\n';
///     }
///
/// Changes nothing, and leaves no watch. A list is of the past: see participant.
///
/// *Threads*: any. *Blocking*: `time_limit` at the longest, with retries after a reconnect; not in callbacks of the
/// program's ZooKeeper handle. *Errors*: errc::not_connected when the answers have not come in time;
/// errc::invalid_path, errc::invalid_option; errc::permission_denied; errc::session_closed, errc::session_expired,
/// errc::would_deadlock. *Source*: getParticipantNodes() of Curator's recipes; find(1).
namespace zklock {

inline constexpr std::chrono::milliseconds participants_time_limit{10'000};

/// All contenders at `path`, of whatever recipe and layout. Empty also when there is no such node.
[[nodiscard]] ZKLOCK_EXPORT std::vector<participant> participants(
    session& in, std::string_view path, std::chrono::milliseconds time_limit = participants_time_limit);
[[nodiscard]] ZKLOCK_EXPORT std::vector<participant> participants(session& in, std::string_view path,
                                                                  std::error_code& ec);
[[nodiscard]] ZKLOCK_EXPORT std::vector<participant> participants(session& in, std::string_view path,
                                                                  std::chrono::milliseconds time_limit,
                                                                  std::error_code& ec);

/// A lock with participants; or, with an error, a node that could not be read.
struct listed_lock {
  std::string path;                            ///< in the session's chroot
  std::error_code error{};                     ///< errc::permission_denied: an access list hides the node's children
  std::vector<participant> participants{};     ///< first come first; with an error none, else at least one
  std::optional<std::int64_t> permit_limit{};  ///< of a semaphore whose lock node says it

  bool operator==(const listed_lock&) const = default;
};

/// All locks at `path` and below it at which a client holds or waits, sorted by path. `path` may be "/": without
/// /zookeeper. No snapshot: each node is read by itself, after the call has begun. *Cost*: a list for each node that is
/// no contender, a read for each participant, at most 128 at a time. *Errors*: errc::too_many_nodes above 250,000.
[[nodiscard]] ZKLOCK_EXPORT std::vector<listed_lock> locks_below(
    session& in, std::string_view path, std::chrono::milliseconds time_limit = participants_time_limit);
[[nodiscard]] ZKLOCK_EXPORT std::vector<listed_lock> locks_below(session& in, std::string_view path,
                                                                 std::error_code& ec);
[[nodiscard]] ZKLOCK_EXPORT std::vector<listed_lock> locks_below(session& in, std::string_view path,
                                                                 std::chrono::milliseconds time_limit,
                                                                 std::error_code& ec);

}  // namespace zklock
