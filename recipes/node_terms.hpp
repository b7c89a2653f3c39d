#pragma once

#include <cstdint>
#include <optional>

#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

/// What a mark on its own node says of a holder.
enum class mark_meaning : std::uint8_t {
  none,        ///< the recipe has no mark
  granted,     ///< that it holds
  downgraded,  ///< that it only reads from now on: until then its node is as it was created
};

/// What a recipe says of the nodes of its contenders, besides which of them has the turn. Most recipes: this.
struct node_terms {
  bool makes_lock_node = true;                 ///< false: that is for another contender
  bool lock_node_stays = false;                ///< also while it has no child
  bool reads_limit = false;                    ///< each look at the queue reads the lock node's data
  std::optional<permit_limit> stored_limit{};  ///< the data of a lock node that it makes; none: no data
  std::optional<permit_limit> given_limit{};   ///< where the lock node says none
  mark_meaning mark = mark_meaning::none;
};

}  // namespace zklock::recipes
