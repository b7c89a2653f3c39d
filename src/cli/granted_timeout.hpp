#pragma once

#include <chrono>
#include <string>

namespace zklock::cli {

/// That the servers have cut or raised the session timeout, with both values. Empty: they have granted what was asked for.
[[nodiscard]] std::string describe_granted_timeout(std::chrono::milliseconds asked, std::chrono::milliseconds granted);

}  // namespace zklock::cli
