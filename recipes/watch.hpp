#pragma once

#include <cstdint>

#include "recipes/code.hpp"

namespace zklock::recipes {

/// A watch on one node, as the contender that asked for it knows it.
///
///     none ── request sent ──► asked ── answer: ok ──► set ── event ──► none
///                                └─ answer: anything else ──► none
///
/// A watch is set by its answer, so that an event while it is `asked` is not its own.
enum class watch : std::uint8_t {
  none,
  asked,  ///< the request that sets it is unanswered
  set,    ///< it stands
};

/// What the answer to its request makes of a watch.
[[nodiscard]] constexpr watch answered(code answer) noexcept { return answer == code::ok ? watch::set : watch::none; }

/// What is left of a watch when its event has come: the request for another one stays under way.
[[nodiscard]] constexpr watch fired(watch one) noexcept { return one == watch::set ? watch::none : one; }

}  // namespace zklock::recipes
