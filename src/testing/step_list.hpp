#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/testing/step.hpp"

namespace zklock::testing {

class world;

/// What can happen now, in an order that depends on nothing but the past.
void list_steps(const world& w, std::vector<step>& out);
void perform(world& w, const step& what);
/// "c1 -> s0: create /l/abc-lock-"
[[nodiscard]] std::string describe(const world& w, const step& what);
/// When the next timer falls due that is not due yet.
[[nodiscard]] std::optional<instant> next_timer(const world& w);

}  // namespace zklock::testing
