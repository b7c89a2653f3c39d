#pragma once

#include <span>

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock elect PATH -- COMMAND`: stands for the election in one session, and runs the command while it leads, term after term.
/// Returns the exit status, or ends by the signal that has interrupted it; messages go to stderr. To be called once, before the
/// process has threads. When it returns nothing is left on the server, unless it has said so. `own_arguments`: see
/// guardian_process.
[[nodiscard]] int stand(const stand_arguments& wanted, std::span<char> own_arguments);

}  // namespace zklock::cli
