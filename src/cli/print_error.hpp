#pragma once

#include <string>

namespace zklock::cli {

/// A line on stderr: "zklock: ...".
void print_error(const std::string& message);

}  // namespace zklock::cli
