#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock {

/// ZooKeeper's permission bits, to be combined with `|`.
enum class permission : std::int32_t { read = 1, write = 2, create = 4, remove = 8, administer = 16, all = 31 };
[[nodiscard]] constexpr permission operator|(permission a, permission b) noexcept {
  return static_cast<permission>(static_cast<std::int32_t>(a) | static_cast<std::int32_t>(b));
}

/// Which clients may do what with the nodes that the library creates.
struct acl_entry {
  permission permissions = permission::all;
  std::string scheme = "world";  ///< "world", "auth" (the credentials of this session), "digest", "ip" …
  std::string id = "anyone";
};
using acl = std::vector<acl_entry>;

/// Every client may do anything: ZooKeeper's default.
[[nodiscard]] inline acl acl_open() { return {acl_entry{}}; }
/// Only the credentials of this session (`session_options::auth`).
[[nodiscard]] inline acl acl_creator() { return {acl_entry{permission::all, "auth", ""}}; }

/// How a session is made.
struct session_options {
  /// The session timeout T that is asked for, 100 ms to 1 h; the servers have the last word (session::timeout()).
  std::chrono::milliseconds timeout{10'000};
  /// Holds end this long before the earliest possible expiry: in this time a holder stops its work. 0: T/12. A margin
  /// that is too great for T and the tick is refused.
  std::chrono::milliseconds margin{0};
  /// The greatest tickTime among the servers. 0: T/2, at the most 3 s. If a server's tickTime is greater than this,
  /// held() may be true while another client holds (docs/design/deadline.md).
  std::chrono::milliseconds tick{0};
  /// Text for people, stored in a contender's node: participant::label. No control characters; at the most 256 bytes.
  std::string label{};
  /// The access list of every node that the library creates: contenders, lock nodes, missing parents.
  zklock::acl acl = acl_open();
  std::string auth{};  ///< "user:password" for digest authentication; empty: none
  /// How long close() and the destructor wait for removals on an adopted handle. (The C client's own close takes 5 s at
  /// the most, when a server is frozen.)
  std::chrono::milliseconds close_time_limit{5'000};
};

/// How a lock's nodes are named, and what data they have. All clients of one path must use the same
/// (docs/guide/coming-from-curator.md).
enum class layout : std::uint8_t {
  native,
  /// Those of Apache Curator's recipes: Java clients and these exclude each other on one path.
  curator,
};

/// Local hand-over: acquisitions of one lock object take turns with one node, so that those behind the first cost no
/// request (docs/guide/mutexes.md). A client elsewhere waits longer for it: `max_time`, and one hold, for each process
/// before it.
struct local_handover {
  /// How many acquisitions one node serves, 1 to fencing_token::turns_per_node. 100: three requests for a hundred holds.
  std::uint32_t max_turns = 100;
  /// No turn begins so long after the servers' grant, 0 to 1 h. A turn that has begun is not cut short.
  std::chrono::milliseconds max_time{50};
};

/// How a lock is made.
struct lock_options {
  std::optional<std::string> label{};  ///< in place of the session's
  std::optional<zklock::acl> acl{};    ///< likewise
  /// The longest that try_acquire(), try_lock() and queue() may take. 0: a third of the session timeout.
  std::chrono::milliseconds try_time_limit{0};
  zklock::layout layout = zklock::layout::native;
  /// Of a recursive_mutex, a semaphore_mutex of the native layout, the write side of a shared_mutex. Nothing: each
  /// acquisition has a node of its own, as read sides, semaphores and parts of a multi-lock always have.
  std::optional<local_handover> hand_over{};
};

}  // namespace zklock
