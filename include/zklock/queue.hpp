#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <zklock/grant.hpp>
#include <zklock/options.hpp>

namespace zklock {

/// Whether a participant holds or waits, as derived from the list: see participant.
enum class participant_state : std::uint8_t { held, waiting };

/// What a participant wants of the lock. For a downgraded writer it is `read`. `latch`: a candidate with the names of
/// Curator's LeaderLatch, which a mutex does not exclude.
enum class participant_kind : std::uint8_t { mutex, read, write, permits, latch };

/// The names of the values: "held", "mutex", "native" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(participant_state value) noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(participant_kind value) noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(layout value) noexcept;

/// A contender of a lock, as the servers know it: an entry of a lock's `queue()`.
///
///     for (const zklock::participant& one : orders.queue()) {
///       std::cout << one.position << ' ' << to_string(one.state) << ' ' << one.host << '\n';
///     }
///
/// A list shows the past: never act on it as on a grant. A participant that is shown as `held` may be dead or cut off,
/// and its grant::token() may differ from `token`. Which participants are shown as `held`, and what the servers vouch
/// for: docs/guide/looking_at_a_lock.md.
struct participant {
  std::size_t position = 0;  ///< 0 is the first in the queue
  participant_state state = participant_state::waiting;
  participant_kind kind = participant_kind::mutex;
  std::int64_t permits = 0;  ///< how many it wants or holds; 0 if the lock is no semaphore, or if its node does not say
  std::string node{};        ///< the path of its node, without the prefix of the chroot
  fencing_token token{};     ///< the czxid of its node; 0: unknown
  std::optional<zklock::layout> layout{};  ///< of its node; empty for a mutex: docs/guide/looking_at_a_lock.md

  // ---- written by the participant's client, unchecked: any bytes, cut at 256. Of other libraries only `label` is set
  std::string host{};
  std::optional<std::int64_t> pid{};
  std::optional<std::uint64_t> owner{};  ///< owner::number() in the process `pid`; empty if it has no owner
  std::string label{};
  std::optional<std::chrono::system_clock::time_point> since{};  ///< when it was created, by its machine's clock
  bool revocation_requested = false;  ///< it is asked to let go: grant::revocation_requested()
  bool may_be_idle = false;           ///< where it is held: perhaps it is kept, and nobody holds: lock_options::keep

  bool operator==(const participant&) const = default;
};

}  // namespace zklock
