#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recipes/local_turns.hpp"
#include "tests/costs/metered_client.hpp"

namespace zklock::costs {

/// Mutexes at one path that are released one after the other. Those of one session are acquired at the same time; of several
/// one after the other, so that no two of one session stand side by side.
struct queue_plan {
  std::size_t contenders = 1;
  std::size_t sessions = 1;
  /// All are acquisitions of one lock object, which hands over.
  std::optional<recipes::turn_bounds> hand_over{};
};

/// Of all clients, from the first request to the answer to the last removal.
struct queue_cost {
  meter total{};
  std::uint64_t watches = 0;  ///< that stand while the first one holds
};

[[nodiscard]] std::vector<queue_plan> queues();
/// Throws std::logic_error if one of them is never granted, or two hold at once.
[[nodiscard]] queue_cost measure(const queue_plan& plays);

}  // namespace zklock::costs
