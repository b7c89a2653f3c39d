#pragma once

#include <string>

namespace zklock::sim {

/// What timelines and violations call a client.
[[nodiscard]] inline std::string client_name(int client) { return "c" + std::to_string(client); }

}  // namespace zklock::sim
