#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock evict`: removes a contender's node after it was shown and agreed to. Returns the exit status.
[[nodiscard]] int evict(const evict_arguments& wanted);

}  // namespace zklock::cli
