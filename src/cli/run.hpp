#pragma once

#include <span>

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock run`: gets the lock, runs the command, releases. Returns the exit status, or ends by the signal that has
/// interrupted the command; messages go to stderr. To be called once, before the process has threads. When it returns
/// nothing is left on the server, unless it has said so. `own_arguments`: see guardian_process.
[[nodiscard]] int run(const run_arguments& wanted, std::span<char> own_arguments);

}  // namespace zklock::cli
