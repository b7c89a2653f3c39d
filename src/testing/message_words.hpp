#pragma once

#include <string>

#include "src/testing/messages.hpp"

namespace zklock::testing {

/// How a message reads in a timeline: "create /l/abc-lock-".
[[nodiscard]] std::string words(const upward& message);
[[nodiscard]] std::string words(const downward& message);

}  // namespace zklock::testing
