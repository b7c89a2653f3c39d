#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock run`: gets the lock, runs the command, releases. Returns the exit status; messages go to stderr. To be
/// called once, before the process has threads. When it returns nothing is left on the server, unless it has said so.
[[nodiscard]] int run(const run_arguments& wanted);

/// A line on stderr: "zklock: ...".
void complain(const std::string& message);

}  // namespace zklock::cli
