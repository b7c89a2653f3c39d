#pragma once

#include <chrono>
#include <string_view>

namespace zklock::cli {

/// How long to wait for a server when the user has set no limit: until each of `servers`, a valid list, was tried once,
/// although all others accept connections and never answer.
[[nodiscard]] std::chrono::milliseconds connect_limit(std::string_view servers,
                                                      std::chrono::milliseconds session_timeout);

}  // namespace zklock::cli
