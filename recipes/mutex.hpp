#pragma once

#include "recipes/contender_data.hpp"
#include "recipes/queue.hpp"
#include "recipes/waiting_turn.hpp"

namespace zklock::recipes {

/// The turn of a mutex's contender. The recipe:
///   1. create `<id>-lock-`, ephemeral and sequential; 2. list the children;
///   3. the own number is the lowest: the lock is held;
///   4. else watch the contender right before the own one; 5. when it goes: 2, or at once 3 if it was the only one.
/// Source: "Locks" in ZooKeeper's recipes. In Curator's layout (InterProcessMutex) the recipe is the same.
///
/// | state                      | goes on with                                             |
/// |----------------------------|----------------------------------------------------------|
/// | resting                    | a complete round: pass, or follow the predecessor        |
/// | watching, passing, waiting | as in predecessor_watch                                  |
class mutex_turn : public waiting_turn {
 public:
  explicit mutex_turn(bool one_try) noexcept : waiting_turn(one_try) {}

  decision decide(const round_answers& round, const own_node& own, action_list& out);

  [[nodiscard]] static contender_mode mode() noexcept { return contender_mode::write; }
  static constexpr bool stands_in_rows = true;
  [[nodiscard]] static bool is_exclusive() noexcept { return true; }

  bool operator==(const mutex_turn&) const = default;
};

/// First is the contender with the lowest number.
[[nodiscard]] verdict mutex_policy(const queue_view& seen);

}  // namespace zklock::recipes
