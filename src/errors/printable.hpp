#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::detail {

/// For messages: bytes that would garble a terminal are shown as \xNN.
[[nodiscard]] inline std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<std::uint8_t>(letter);
    if (byte >= 0x20 && byte != 0x7F) {
      result += letter;
    } else {
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 0xF]};
    }
  }
  return result;
}

}  // namespace zklock::detail
