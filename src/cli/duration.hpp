#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace zklock::cli {

/// The longest duration that the command takes: longer ones are typing errors.
inline constexpr std::chrono::milliseconds duration_max = std::chrono::hours(24 * 365);

/// A whole number and its unit: "500ms", "5s", "2m", "1h". Only "0" needs no unit.
/// Throws std::invalid_argument, whose message names the text and what it should be.
[[nodiscard]] std::chrono::milliseconds parse_duration(std::string_view text);

/// The same, backwards, in the largest unit that leaves a whole number.
[[nodiscard]] std::string to_text(std::chrono::milliseconds duration);

}  // namespace zklock::cli
