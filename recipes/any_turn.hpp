#pragma once

#include <type_traits>
#include <variant>

#include "recipes/acquire_spec.hpp"
#include "recipes/curator_read_write_lock.hpp"
#include "recipes/curator_semaphore.hpp"
#include "recipes/mutex.hpp"
#include "recipes/read_write_lock.hpp"
#include "recipes/semaphore.hpp"

namespace zklock::recipes {

/// How a contender learns that it is its turn: a line for each recipe.
using any_turn = std::variant<              //
    mutex_turn,                             //
    read_turn, write_turn,                  // of read_write_lock
    permit_turn,                            // of semaphore
    curator_read_turn, curator_write_turn,  // of curator_read_write_lock
    lease_turn>;                            // of curator_semaphore

/// `one_try`: it does not wait behind another contender.
[[nodiscard]] any_turn turn_of(const acquire_spec& wanted, bool one_try);

/// Its contenders wait behind those of their own session without a watch (session_queue).
template <class Turn>
concept stands_in_rows = Turn::stands_in_rows;

/// Whether no other contender can hold while this one does, of those that stand in rows (session_queue); else false.
[[nodiscard]] bool is_exclusive(const any_turn& one) noexcept;

/// How far what its node has to say is.
[[nodiscard]] marking marks_of(const any_turn& one) noexcept;

}  // namespace zklock::recipes
