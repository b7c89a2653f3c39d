#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/contender_name.hpp"
#include "recipes/decision.hpp"
#include "recipes/names_view.hpp"
#include "recipes/permit_limit.hpp"
#include "recipes/queue_index.hpp"

namespace zklock::recipes {

/// What one contender knows when it asks whether it may pass.
struct queue_view {
  names_view children{};
  std::string_view own{};
  /// A contender whose data was seen marked: a `write-` that reads by now, or a permit that is held.
  std::string_view marked{};
  permit_limit limit{};  ///< of a semaphore
  bool newest = false;   ///< no child was made or removed after the own node: each other contender came before it
  const queue_index* index = nullptr;  ///< of `children`, where they are shown to many; null: to this one alone
};

[[nodiscard]] queue_view view_of(const round_answers& round, const own_node& own,
                                 std::string_view marked = {}) noexcept;

/// What a list of the lock node's children says to one contender.
struct verdict {
  enum class kind : std::uint8_t {
    first,         ///< it may pass
    behind,        ///< `predecessor` is the nearest conflicting contender before it
    next,          ///< a semaphore's first waiter: any contender that leaves may let it in, not its predecessor alone
    never,         ///< a semaphore's first waiter, which wants more than there is
    absent,        ///< the own node is not in the list: it was removed (F12)
    exhausted,     ///< a number is tied, negative, or near the counter's end (F47), or the counter went back (F178)
    wrong_recipe,  ///< a contender of another recipe stands before it
  };
  kind says = kind::absent;
  std::string_view predecessor{};    ///< points into the list
  bool sole = false;                 ///< `predecessor` is the only conflicting one before it
  bool followed = false;             ///< a contender stands behind it
  bool mixed = false;                ///< contenders of another recipe are there, behind it or before it
  std::uint64_t permits_before = 0;  ///< that all before it want

  bool operator==(const verdict&) const = default;
};

/// The policy of a recipe: for which contender must this one wait? Pure, over one list. Each stands in its recipe's file.
using queue_policy = verdict (*)(const queue_view& seen);

/// Which contenders have to go first, of those that stand before the own one and are of its recipe.
enum class conflicts : std::uint8_t { all, unmarked_writers };

/// What all recipes share: the look at the list. Children that are no contenders are ignored (F49); the order is by sequence
/// number alone (F46).
[[nodiscard]] verdict look_at(const queue_view& seen, conflicts with);

/// Whether the own node is in the list (F12).
[[nodiscard]] bool is_listed(const queue_view& seen) noexcept;
/// Whether a child has a greater sequence number than the own node.
[[nodiscard]] bool has_greater_number(const queue_view& seen) noexcept;

/// Whether two numbers of one lock node were given by one leader, by the epochs in the czxids: it gives none twice. The next
/// may have forgotten some (F178). False: a czxid is not known.
[[nodiscard]] bool numbered_by_one_leader(fencing_token earlier, fencing_token later) noexcept;

/// What ends the attempt, whatever the recipe says. Nothing: `seen` counts.
[[nodiscard]] std::optional<decision> what_bars(const verdict& seen, const round_answers& round) noexcept;

/// That, or it passes, or its one try has ended. Nothing: it has to wait.
[[nodiscard]] std::optional<decision> unless_it_waits(const verdict& seen, const round_answers& round,
                                                      bool one_try) noexcept;

/// The sequence numbers from here on are refused: some two million contenders before the counter sticks (F47).
inline constexpr std::int32_t sequence_limit = INT32_MAX - 2'000'000;

}  // namespace zklock::recipes
