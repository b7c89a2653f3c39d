#pragma once

#include <string>

namespace zklock::cli {

/// A line on stderr: "zklock: ...".
void complain(const std::string& message);

}  // namespace zklock::cli
