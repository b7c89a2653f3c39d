#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock revoke`: asks a holder to let go. Returns the exit status.
[[nodiscard]] int revoke(const revoke_arguments& wanted);

}  // namespace zklock::cli
