#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::recipes {

/// What a list of the lock node's children says to one contender.
struct verdict {
  enum class kind : std::uint8_t {
    first,         ///< nobody conflicting stands before it
    behind,        ///< `predecessor` is the nearest conflicting contender before it
    absent,        ///< the own node is not in the list: somebody has removed it (F12)
    exhausted,     ///< a sequence number is tied, negative, or near the counter's end (F47)
    wrong_recipe,  ///< a contender of another recipe stands before it
  };
  kind says = kind::absent;
  std::string_view predecessor{};  ///< points into the list
  bool sole = false;               ///< `predecessor` is the only conflicting one before it
};

/// Whom must I wait for? The policy by which one contender machine serves several recipes: pure, over one list.
using queue_policy = verdict (*)(std::span<const std::string> children, std::string_view own);

/// A mutex: whoever is first, by sequence number alone (F46). Children that are no contenders are ignored (F49).
[[nodiscard]] verdict mutex_policy(std::span<const std::string> children, std::string_view own);

/// The contenders for a mutex among `children`, first in the queue first: by number, whatever library they are of (F51).
[[nodiscard]] std::vector<std::string> mutex_queue(std::vector<std::string> children);

/// The sequence numbers from here on are refused: some two million contenders before the counter sticks (F47).
inline constexpr std::int32_t sequence_limit = INT32_MAX - 2'000'000;

}  // namespace zklock::recipes
