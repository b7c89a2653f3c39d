#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// The state of a contender, as its node's data tells it. Only ours to write; anything unknown means the strictest.
enum class contender_mode : std::uint8_t { write };

/// What a contender's node says: the state in the first line, then `key=value` lines for people and tools. `label` has no
/// control characters: a line break would forge a line (F105).
[[nodiscard]] std::string contender_data(contender_mode mode, std::string_view host, std::int64_t pid,
                                         std::string_view label, std::string_view time);

}  // namespace zklock::recipes
