#pragma once

#include "examples/demo/ledger.hpp"
#include "examples/demo/verdict.hpp"

namespace demo {

/// Prints the sum, what held, and what did not. Whether all did.
[[nodiscard]] bool report(const ledger& books, const outcome& end);

}  // namespace demo
