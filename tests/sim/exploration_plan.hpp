#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "tests/sim/scenario.hpp"
#include "tests/sim/trouble.hpp"

/// Which faults the exhaustive run explores a scenario with, and how far. Each pair has a digest (digests.hpp).
namespace zklock::sim {

[[nodiscard]] bool concerns(const scenario& plays, trouble_kind kind);
/// Where exploring all would take minutes. Printed with the counts.
[[nodiscard]] std::optional<int> default_deviations(const scenario& plays, trouble_kind kind);
/// Clients or servers that it can hit, from the first on.
[[nodiscard]] int targets_of(trouble_kind kind, const scenario& plays);
/// What is slow is so for these times, each in turn.
[[nodiscard]] std::vector<std::chrono::nanoseconds> lengths_of(trouble_kind kind, const scenario& plays);

}  // namespace zklock::sim
