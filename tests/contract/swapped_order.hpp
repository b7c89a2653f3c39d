#pragma once

#include <memory>

#include "src/port/client.hpp"

namespace zklock::contract {

/// The environment variable that has this program's clients told two neighbouring things in the wrong order:
/// "session_event" holds each loss back, "node_event" each deletion, until the next thing has been told.
inline constexpr const char* swap_variable = "ZKLOCK_CONTRACT_SWAP";

/// The factory itself, but for one whose order is wrong when the variable asks for it. To see that the suite notices.
[[nodiscard]] std::shared_ptr<client::factory> swapped_if_asked_for(std::shared_ptr<client::factory> inner);

}  // namespace zklock::contract
