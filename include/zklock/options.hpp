#pragma once

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

/// Every client may do anything: ZooKeeper's default, and the one that peers of other libraries use.
[[nodiscard]] inline acl acl_open() { return {acl_entry{}}; }
/// Only the credentials of this session (`session_options::auth`).
[[nodiscard]] inline acl acl_creator() { return {acl_entry{permission::all, "auth", ""}}; }

/// How a session is made. Every default of the library stands in this file.
struct session_options {
  /// The session timeout T that is asked for; the servers have the last word (`session::timeout()`), usually between 2
  /// and 20 of their ticks. Longer: a dead holder blocks the others for longer. Shorter: more is lost to short outages.
  /// 10 s: what survives a change of leader. 100 ms to 1 h.
  std::chrono::milliseconds timeout{10'000};
  /// Holds end this long before the earliest instant at which the servers may remove their nodes: the time that a
  /// holder has to stop its work in. 0: T/12. A margin that T and the tick leave no room for is refused, with the
  /// greatest one in the message. Where the servers grant another T, and on an adopted handle, it is cut to that, with
  /// a warning.
  std::chrono::milliseconds margin{0};
  /// The greatest tickTime of the servers: the deadline allows for a follower that tells its leader of a client that
  /// late. 0: T/2, at the most 3 s: ZooKeeper's own bounds for T and its own default. Where the servers have raised T,
  /// and on an adopted handle, T/2. Servers with a longer tick break promise 2; a shorter one, if told here, moves the
  /// deadline forward by about as much as it is shorter (docs/design/deadline.md).
  std::chrono::milliseconds tick{0};
  /// For people, in the contenders' data and in listings. No control characters; at the most 256 bytes.
  std::string label{};
  /// Of everything that is created: contenders, lock nodes and what is missing above them.
  zklock::acl acl = acl_open();
  /// "user:password" for digest authentication; empty: none.
  std::string auth{};
  /// How long close() and the destructor wait for removals on an adopted handle. (On a handle of our own they take as
  /// long as the C client's close: at the most about 5 s, when a server is frozen.)
  std::chrono::milliseconds close_limit{5'000};
};

/// Which nodes a lock's contenders are: the native ones or Curator's. All clients of one path have to agree: one that
/// does not is told errc::wrong_recipe, where that can be seen (docs/guide/layouts.md).
enum class layout : std::uint8_t {
  native,
  /// What Apache Curator's recipes write and read, so that Java clients and these exclude each other on one path:
  /// InterProcessMutex, InterProcessSemaphoreMutex, InterProcessReadWriteLock, InterProcessSemaphoreV2; and a
  /// multi-lock takes its locks one by one, in the order of its list, as InterProcessMultiLock does. A contender's node
  /// says its label and no more; without one, the address of this machine's name, for which the resolver is asked once,
  /// when the first such lock is made.
  curator,
};

/// How a lock is made.
struct lock_options {
  /// In place of the session's.
  std::optional<std::string> label{};
  /// In place of the session's.
  std::optional<zklock::acl> acl{};
  /// The longest that try_acquire(), try_lock() and queue() may take. 0: a third of the session timeout.
  std::chrono::milliseconds try_limit{0};
  zklock::layout layout = zklock::layout::native;
};

}  // namespace zklock
