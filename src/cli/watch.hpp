#pragma once

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// `zklock watch`: shows a lock's holders and waiters until a signal: on a terminal drawn anew at each change, elsewhere in
/// lines. Returns the exit status; a signal that ends it ends the process, with the terminal as it was found. Changes nothing
/// on the server.
[[nodiscard]] int watch(const watch_arguments& wanted);

}  // namespace zklock::cli
