#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock elect --observe`: prints who leads, a line for each change, until a signal ends the process. Returns, with the exit
/// status, only when it cannot go on; messages go to stderr.
[[nodiscard]] int observe(const observe_arguments& wanted);

}  // namespace zklock::cli
