#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock ls`: prints the holders and the waiters, at a path or at all locks below it. Returns the exit status;
/// messages go to stderr. Leaves nothing on the server.
[[nodiscard]] int ls(const ls_arguments& wanted);

}  // namespace zklock::cli
