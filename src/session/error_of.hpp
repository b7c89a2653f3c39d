#pragma once

#include <system_error>

#include "recipes/code.hpp"
#include "recipes/contender.hpp"

namespace zklock::detail {

/// The library's error for a code of ZooKeeper.
[[nodiscard]] std::error_code error_of(recipes::code answer) noexcept;

/// The library's error for a contender's refusal. None for "not in time": that is no error when the queue was seen.
[[nodiscard]] std::error_code error_of(recipes::refusal why, recipes::code answer) noexcept;

}  // namespace zklock::detail
