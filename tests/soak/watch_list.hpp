#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::soak {

/// The paths below `root` that are watched, by a server's answer to "wchp". Nothing when that is no such answer: one that
/// does not serve says so in words, or says nothing.
[[nodiscard]] std::optional<std::vector<std::string>> watched_below(std::string_view root, const std::string& answer);

}  // namespace zklock::soak
