#pragma once

#include <variant>

#include "recipes/claim.hpp"
#include "recipes/curator_read_write_lock.hpp"
#include "recipes/curator_semaphore.hpp"
#include "recipes/mutex.hpp"
#include "recipes/read_write_lock.hpp"
#include "recipes/semaphore.hpp"

namespace zklock::recipes {

/// How a contender learns that it is its turn: one kind for each recipe and layout.
using any_turn =
    std::variant<mutex_turn, read_turn, write_turn, permit_turn, curator_read_turn, curator_write_turn, lease_turn>;

/// The one place that asks for a contender's kind. `one_try`: it does not wait behind another contender.
[[nodiscard]] any_turn turn_of(const claim& wanted, bool one_try);

}  // namespace zklock::recipes
