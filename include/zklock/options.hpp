#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock {

/// ZooKeeper's permission bits; combine them with `|`.
enum class permission : std::int32_t { read = 1, write = 2, create = 4, remove = 8, administer = 16, all = 31 };
[[nodiscard]] constexpr permission operator|(permission a, permission b) noexcept {
  return static_cast<permission>(static_cast<std::int32_t>(a) | static_cast<std::int32_t>(b));
}

/// What a set of clients may do with the nodes that the library creates.
struct acl_entry {
  permission permissions = permission::all;
  std::string scheme = "world";  ///< "world", "auth" (the credentials of this session), "digest", "ip" …
  std::string id = "anyone";
};
using acl = std::vector<acl_entry>;

/// Any client may do anything.
[[nodiscard]] inline acl acl_open() { return {acl_entry{}}; }
/// Only clients with this session's credentials (`session_options::auth`) may do anything.
[[nodiscard]] inline acl acl_creator() { return {acl_entry{permission::all, "auth", ""}}; }

/// How a session is made.
struct session_options {
  /// The session timeout T to ask for, 100 ms to 1 h. The servers may grant another: session::timeout().
  std::chrono::milliseconds timeout{10'000};
  /// Holds end this long before the earliest possible expiry: a holder has this time to stop its work. 0: 1/12 of the
  /// least timeout granted in this ZooKeeper session. A margin that is too great is refused (errc::invalid_option) or
  /// lowered: docs/guide/sessions.md.
  std::chrono::milliseconds margin{0};
  /// The servers' greatest tickTime. If the value is too small, held() may be true while another client holds. 0: half
  /// of the granted timeout, and usually at most 3 s (docs/guide/sessions.md).
  std::chrono::milliseconds tick{0};
  /// Text for people: participant::label. No control characters; at most 256 bytes.
  std::string label{};
  /// The access list of every node that the library creates, lock nodes and missing parents too.
  zklock::acl acl = acl_open();
  std::string auth{};  ///< "user:password" for digest authentication; empty: none
  /// A call that waits for a lock for longer than this is logged, once, with who is first in the queue (one list and one read);
  /// of several calls that wait for one lock, one in this time. 0: none is. At most 30 days.
  std::chrono::milliseconds slow_wait{0};
  /// How long close() and the session's destructor wait for callbacks that run, and on an adopted handle for removals:
  /// one limit for both. How long a session_observer's destructor waits for its function. For the servers, on a handle
  /// of the library's own: at most about 5 s, whatever this option says.
  std::chrono::milliseconds close_time_limit{5'000};
};

/// Which names and data a lock's nodes have. All clients of one path must use the same layout. Only a recursive_mutex
/// is the same lock in both layouts. See docs/guide/coming-from-curator.md.
enum class layout : std::uint8_t {
  native,
  /// As in Apache Curator's recipes: a lock and its Java counterpart exclude each other on one path.
  curator,
};

/// Local hand-over: acquisitions of one lock object hold one after the other with one node; acquisitions behind the
/// first send no request. Each such node ahead of a client in another process delays this client by at most `max_time`
/// plus the length of one hold. See docs/guide/mutexes.md.
struct local_handover {
  /// How many acquisitions one node serves, 1 to fencing_token::turns_per_node.
  std::uint32_t max_turns = 100;
  /// A release hands the node on only within this time after the servers' grant. 0 to 1 h.
  std::chrono::milliseconds max_time{50};
};

/// A lock that may stay: the node of a hold that was given back stays for the next one of this lock object, which takes no request,
/// while no other client has asked for the lock.
struct kept_lock {
  /// For so long at most without a hold; 0: it is not kept. At most half of the session timeout: of what is asked for, or granted
  /// where that is known. Cut to half of what is granted.
  std::chrono::milliseconds idle_limit{10};
};

/// How a lock is made.
struct lock_options {
  std::optional<std::string> label{};  ///< if set: replaces the session's label
  std::optional<zklock::acl> acl{};    ///< if set: replaces the session's access list
  /// The time limit of one try, queue(), permit_limit() and set_permit_limit(). 0: a third of the session timeout.
  std::chrono::milliseconds try_time_limit{0};
  zklock::layout layout = zklock::layout::native;
  /// For recursive_mutex, native semaphore_mutex and the write side of shared_mutex. A multi-lock ignores it in its parts.
  /// Without it each acquisition has its own node.
  std::optional<local_handover> hand_over{};
  /// For recursive_mutex and native semaphore_mutex; a multi-lock refuses it in its parts. Holds of this lock object that follow each other
  /// within the idle limit share a node, up to fencing_token::turns_per_node, from the second acquisition on that finds no other
  /// client there. Another client's acquisition ends that, and some more uses go without, ever more if it comes again. With the
  /// bounds of `hand_over`, counted from then, or of a local_handover by default. A kept node is no hold, but others wait for it: for
  /// a message, the idle limit, or the session timeout where this process stops or dies; tries of other libraries fail meanwhile.
  std::optional<kept_lock> keep{};
  /// A bound on each hold, from its grant; 0: none. At its end the hold is lost, loss_reason::held_too_long, and the margin later
  /// its node is removed. grant::extend() moves it; acquiring again does not. At most 30 days. For work that hangs, and no
  /// safety: what runs on runs beside the next holder, and its guarded writes are refused.
  std::chrono::milliseconds max_hold{0};
  /// One try asks by a read whether the lock is busy before it makes a node: always. By default only behind a try of this lock
  /// object that has failed. See acquirable::try_acquire().
  bool read_first = false;
  /// Under which session::statistics() counts this lock: "orders", "config". Never a path or an id, of which there may be many:
  /// the names behind the first 100 of a session are counted as "other". No control characters; at most 64 bytes.
  std::string name{};
};

}  // namespace zklock
