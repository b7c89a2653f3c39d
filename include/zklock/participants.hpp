#pragma once

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
/// Nothing is made or changed, and no watch is left. What is listed is of the past, and partly the participants' own
/// word: see participant.
///
/// *Threads*: any, any number at once. *Blocking*: until `time_limit` at the longest; not in callbacks of the program's
/// ZooKeeper handle. *Time*: of the whole call, its tries on other connections included; 0 leaves no time.
/// *Errors*: errc::not_connected when the answers have not come in time (of locks_below, what() says how many nodes
/// were seen by then); errc::invalid_path, errc::invalid_option before anything is sent; errc::session_closed,
/// errc::session_expired, errc::authentication_failed, errc::would_deadlock, errc::forked. The forms without an error
/// code throw zklock::error.
/// *Lifetime*: the call ends with errc::session_closed when the session object goes.
/// *Source*: getParticipantNodes() of Curator's recipes; find(1).
namespace zklock {

inline constexpr std::chrono::milliseconds listing_time_limit{10'000};

/// All contenders at `path`, first come first, of whatever recipe and layout: what `zklock ls` shows. A lock object's
/// queue() lists those of its own recipe. Empty also when there is no such node.
/// *Cost*: as a lock object's queue(); of a semaphore in Curator's layout one round trip more.
/// *Errors*: errc::permission_denied when an access list hides the children of `path`.
[[nodiscard]] std::vector<participant> participants(session& in, std::string_view path,
                                                    std::chrono::milliseconds time_limit = listing_time_limit);
[[nodiscard]] std::vector<participant> participants(session& in, std::string_view path, std::error_code& ec,
                                                    std::chrono::milliseconds time_limit = listing_time_limit);

/// A lock with participants; or, with an error, a node that could not be read.
struct listed_lock {
  std::string path;                             ///< in the session's chroot
  std::error_code error{};                      ///< errc::permission_denied: an access list hides the node's children
  std::vector<participant> participants{};      ///< first come first; with an error none, else at least one
  std::optional<std::uint32_t> permit_limit{};  ///< of a semaphore whose lock node says it

  bool operator==(const listed_lock&) const = default;
};

/// All locks at `path` and below it at which a client holds or waits, of whatever recipe and layout, sorted by path,
/// byte by byte. Contenders tell where a lock is: a path at which no client stands is not in it. `path` may be "/";
/// without a chroot ZooKeeper's own nodes at "/zookeeper" are left out then. Nodes that go meanwhile are no error. It
/// is no picture of one instant: each list of children and each contender is read by itself, all of them after the call
/// has begun.
/// *Cost*: a list of children for each node that is no contender and a read for each participant, at most 128 of them
/// under way at a time; a semaphore costs up to two requests more.
/// *Errors*: errc::too_many_nodes when there are more than 250,000, contenders included.
[[nodiscard]] std::vector<listed_lock> locks_below(session& in, std::string_view path,
                                                   std::chrono::milliseconds time_limit = listing_time_limit);
[[nodiscard]] std::vector<listed_lock> locks_below(session& in, std::string_view path, std::error_code& ec,
                                                   std::chrono::milliseconds time_limit = listing_time_limit);

}  // namespace zklock
