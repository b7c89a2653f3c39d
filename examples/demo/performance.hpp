#pragma once

#include "examples/demo/options.hpp"

namespace demo {

/// Each runs the workers to their end, prints what happens, and says whether everything is as it has to be. Throws
/// `interrupted`, and std::runtime_error when nothing happens any more.
[[nodiscard]] bool perform_with_lock(const options& chosen);
/// Loses increments, so the answer is no.
[[nodiscard]] bool perform_without_lock(const options& chosen);

}  // namespace demo
