#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <zklock/grant.hpp>
#include <zklock/options.hpp>

namespace zklock {

/// What a participant has of the lock, by its place in the queue (and of a semaphore's: by its mark).
enum class standing : std::uint8_t { held, waiting };

/// What a participant wants of the lock. A writer that was downgraded is a reader.
enum class participant_kind : std::uint8_t { mutex, read, write, permits };

/// "held", "waiting": for people.
[[nodiscard]] std::string_view to_string(standing value) noexcept;
/// "mutex", "read", "write", "permits": for people.
[[nodiscard]] std::string_view to_string(participant_kind value) noexcept;
/// "native", "curator": for people.
[[nodiscard]] std::string_view to_string(layout value) noexcept;

/// A contender of a lock, as the servers know it: what a lock's `queue()` lists, first come first.
///
///     for (const zklock::participant& one : orders.queue()) {
///       std::cout << one.position << ' ' << to_string(one.standing) << ' ' << one.host << '\n';
///     }
///
/// It is a look at the past: a program must not take it for a grant. Shown as holders are, of a mutex, the first
/// contender; of a shared_mutex the readers with no writer before them, or the writer that is first; of a semaphore
/// each contender whose permits, with those before them, are within the limit, and each that has marked itself as a
/// holder. And yet
///
/// - such a contender may not have been told yet, or may have no server in reach and have given its hold up;
/// - it may be dead: its node stays until the servers end its session;
/// - it may be giving up: an abandoned contender stands until its removal has reached the servers;
/// - a semaphore's holder that has not marked itself (no contender came after it) is shown as waiting when the limit
///   has been lowered below its place since.
///
/// In Curator's layout the participants of a semaphore (and of a semaphore_mutex) are its leases, one permit each, then
/// the contenders that wait in line to make theirs: they have no token yet, and say nowhere how many permits they want.
/// Leases beyond the limit that the lock object knows are shown as waiting, and so is the lease of the first in line:
/// that contender has both nodes, and is shown once. A contender that waits for several leases may have made more of
/// them, shown as held where there was room. Two contenders of one session may be taken for one while the first of them
/// leaves the line.
///
/// `position`, `kind`, `permits`, `node`, `token` and `layout` are the servers' word (a downgrade, and a semaphore's
/// mark, are the participant's). All else is what the participant has written about itself, and a client that may write
/// to its node can write anything there: any bytes, control characters too, or a lie. Sanitise it before you print it.
/// It is of bounded length: what is longer than 256 bytes is cut, and ends in "…".
struct participant {
  std::size_t position = 0;  ///< 0: the first
  zklock::standing standing = zklock::standing::waiting;
  participant_kind kind = participant_kind::mutex;
  std::uint32_t permits = 0;  ///< that it wants, or has, of a semaphore; 0: of another lock, or it does not say
  std::string node{};         ///< the path of its node, in the session's chroot
  fencing_token token{};      ///< 0 if the servers do not tell, or it has none yet
  /// Of which layout a lock has to be to contend with it. Nothing: of a mutex, which is the same in both.
  std::optional<zklock::layout> layout{};

  // ---- by its own word. Another library's participants have none of it, but for what they keep as data: that is
  // `label`.
  std::string host{};
  std::optional<std::int64_t> pid{};
  std::optional<std::uint64_t> owner{};  ///< the number of its owner in that process (owner::number()), if it has one
  std::string label{};
  std::optional<std::chrono::system_clock::time_point> since{};  ///< when it came, by the clock of its machine

  bool operator==(const participant&) const = default;
};

}  // namespace zklock
