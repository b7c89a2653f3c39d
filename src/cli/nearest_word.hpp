#pragma once

#include <span>
#include <string>
#include <string_view>

namespace zklock::cli {

/// What was meant by a mistyped word, of those that there are. Empty: none is near enough.
[[nodiscard]] std::string nearest_word(std::string_view typed, std::span<const std::string> words);

}  // namespace zklock::cli
