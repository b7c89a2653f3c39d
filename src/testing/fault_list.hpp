#pragma once

#include <vector>

#include "src/testing/fault.hpp"

namespace zklock::testing {

class world;

/// The faults that can be applied now and would change something.
[[nodiscard]] std::vector<fault> list_faults(const world& w);
void apply(world& w, const fault& what);

}  // namespace zklock::testing
