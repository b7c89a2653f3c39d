#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/contender_name.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

/// What one contender knows when it asks whether it may pass.
struct queue_view {
  std::span<const std::string> children{};
  std::string_view own{};
  /// A contender whose data was seen marked: a `write-` that reads by now, or a permit that is held.
  std::string_view marked{};
  permit_limit limit{};  ///< of a semaphore
};

/// What a list of the lock node's children says to one contender.
struct verdict {
  enum class kind : std::uint8_t {
    first,         ///< it may pass
    behind,        ///< `predecessor` is the nearest conflicting contender before it
    next,          ///< a semaphore's first waiter: whoever leaves may let it in, not its predecessor alone
    never,         ///< a semaphore's first waiter, which wants more than there is
    absent,        ///< the own node is not in the list: somebody has removed it (F12)
    exhausted,     ///< a sequence number is tied, negative, or near the counter's end (F47)
    wrong_recipe,  ///< a contender of another recipe stands before it
  };
  kind says = kind::absent;
  std::string_view predecessor{};  ///< points into the list
  bool sole = false;               ///< `predecessor` is the only conflicting one before it
  bool followed = false;           ///< somebody stands behind it
  bool mixed = false;              ///< contenders of another recipe are there, behind it or before it
};

/// Whom must I wait for? The policy by which one contender machine serves all recipes: pure, over one list. Children that
/// are no contenders are ignored (F49); the order is by sequence number alone (F46).
using queue_policy = verdict (*)(const queue_view& seen);

/// A mutex: whoever is first.
[[nodiscard]] verdict mutex_policy(const queue_view& seen);
/// A reader: with no writer before it. It waits for the nearest one (F57); who comes later never counts (F55).
[[nodiscard]] verdict read_policy(const queue_view& seen);
/// A writer: whoever is first, readers included.
[[nodiscard]] verdict write_policy(const queue_view& seen);
/// A semaphore: whose permits and all those before add up to no more than the limit. So holders are the head of the queue;
/// who stands right behind them is `next`.
[[nodiscard]] verdict permit_policy(const queue_view& seen);
/// A lease of Curator's: when there are no more leases, the own among them, than the limit. Whoever has not gone in yet
/// has the mutex beside the leases, so that it is `next`.
[[nodiscard]] verdict lease_policy(const queue_view& seen);

[[nodiscard]] queue_policy policy_of(contender_kind of) noexcept;

/// The sequence numbers from here on are refused: some two million contenders before the counter sticks (F47).
inline constexpr std::int32_t sequence_limit = INT32_MAX - 2'000'000;

}  // namespace zklock::recipes
