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

/// Lists holders and waiters without a lock object: at one path, or of all locks below a path.
///
///     for (const zklock::listed_lock& one : zklock::locks_below(session, "/locks")) {
///       std::cout << one.path << ": " << one.participants.size() << '\n';
///     }
///
/// The lists change nothing, and leave no watch. *Threads*: any. *Blocking*: at most `time_limit`. *Errors*:
/// errc::not_connected after `time_limit`; from participants() also errc::permission_denied. All others:
/// docs/guide/errors.md.
namespace zklock {

inline constexpr std::chrono::milliseconds participants_time_limit{10'000};

/// All contenders at `path`, of any recipe and layout. Empty if there is no contender, or no node at `path`.
[[nodiscard]] ZKLOCK_EXPORT std::vector<participant> participants(
    session& in, std::string_view path, std::chrono::milliseconds time_limit = participants_time_limit);
[[nodiscard]] ZKLOCK_EXPORT std::vector<participant> participants(session& in, std::string_view path,
                                                                  std::error_code& ec);
[[nodiscard]] ZKLOCK_EXPORT std::vector<participant> participants(session& in, std::string_view path,
                                                                  std::chrono::milliseconds time_limit,
                                                                  std::error_code& ec);

/// A lock with its participants; or, if `error` is set, a node that could not be read.
struct listed_lock {
  std::string path;                            ///< as the session sees it: without the prefix of the chroot
  std::error_code error{};                     ///< errc::permission_denied: an access list hides the children
  std::vector<participant> participants{};     ///< in the order of the queue; empty if and only if `error` is set
  std::optional<std::int64_t> permit_limit{};  ///< of a semaphore whose lock node has one

  bool operator==(const listed_lock&) const = default;
};

/// All locks at `path` and below it that a client holds or waits for, sorted by path; at "/", without ZooKeeper's own
/// /zookeeper. No snapshot: each node is read by itself, after the call has begun. *Errors*: also errc::too_many_nodes,
/// above 250,000 nodes.
[[nodiscard]] ZKLOCK_EXPORT std::vector<listed_lock> locks_below(
    session& in, std::string_view path, std::chrono::milliseconds time_limit = participants_time_limit);
[[nodiscard]] ZKLOCK_EXPORT std::vector<listed_lock> locks_below(session& in, std::string_view path,
                                                                 std::error_code& ec);
[[nodiscard]] ZKLOCK_EXPORT std::vector<listed_lock> locks_below(session& in, std::string_view path,
                                                                 std::chrono::milliseconds time_limit,
                                                                 std::error_code& ec);

struct revoke_options {
  /// Also a node whose data are not zklock's: Curator's mark takes their place. Where there are none, it is needed for a node with the
  /// name of Curator's or kazoo's mutex alone: that may be a leader's, and the mark is told as its address then.
  bool replace_data = false;
};

/// Asks the holder whose contender's node is `node` to let go: grant::revocation_requested() there; in Curator the listener of
/// makeRevocable(), whose Revoker writes the same. Whether it does is its own affair, so this returns at once. A waiter is asked
/// when it holds, but not one of a semaphore in the native layout. In that the node's data get a line more; in Curator's layout
/// they become `__REVOKE__`. *Blocking*: as session::get(). *Errors*: errc::node_missing; errc::wrong_recipe, with the reason: it
/// is no contender, or a candidate's, or needs revoke_options::replace_data; errc::permission_denied; those of session::get().
/// *Cost*: a read and a write. *Source*: Curator's Revoker.
ZKLOCK_EXPORT void revoke(session& in, std::string_view node, const revoke_options& how = {});

}  // namespace zklock
