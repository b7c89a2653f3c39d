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

/// Whether a participant holds or waits, derived from its place in the queue and, for a semaphore, from its mark.
enum class participant_state : std::uint8_t { held, waiting };

/// What a participant wants of the lock. A writer that was downgraded is a reader.
enum class participant_kind : std::uint8_t { mutex, read, write, permits };

/// Their names: "held", "mutex", "native" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(participant_state value) noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(participant_kind value) noexcept;
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(layout value) noexcept;

/// A contender of a lock, as the servers know it: what a lock's `queue()` lists, first come first.
///
///     for (const zklock::participant& one : orders.queue()) {
///       std::cout << one.position << ' ' << to_string(one.state) << ' ' << one.host << '\n';
///     }
///
/// A list shows the past. `state` follows the recipe's rule: the first participant of a mutex holds; of a shared_mutex
/// the readers with no writer before them, or the first if it is a writer; of a semaphore those whose permits, with all
/// before them, are within the permit limit, and those whose node says that they hold. A participant that is shown as a
/// holder may be dead, cut off, or giving up (docs/guide/looking_at_a_lock.md). The servers say `position`, `kind`,
/// `permits`, `node`, `token` and `layout`; the participant's client wrote the rest: any bytes, text cut at 256.
struct participant {
  std::size_t position = 0;  ///< 0: the first
  participant_state state = participant_state::waiting;
  participant_kind kind = participant_kind::mutex;
  std::int64_t permits = 0;  ///< that it wants, or has, of a semaphore; 0: of another lock, or it does not say
  std::string node{};        ///< the path of its node, in the session's chroot
  fencing_token token{};     ///< 0 if the servers do not tell, or it has none yet
  std::optional<zklock::layout> layout{};  ///< that a lock needs to contend with it; nothing: either (a mutex)

  // ---- by its own word; of another library's participants `label` alone
  std::string host{};
  std::optional<std::int64_t> pid{};
  std::optional<std::uint64_t> owner{};  ///< the number of its owner in that process (owner::number()), if it has one
  std::string label{};
  std::optional<std::chrono::system_clock::time_point> since{};  ///< when it came, by the clock of its machine

  bool operator==(const participant&) const = default;
};

}  // namespace zklock
