#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::detail {

/// "\x0a", for example.
[[nodiscard]] inline std::string hexadecimal(std::uint8_t byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4], digits[byte & 0xF]};
}

/// For messages: bytes that would garble a terminal are shown as \xNN.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<std::uint8_t>(letter);
    result += byte >= 0x20 && byte != 0x7F ? std::string(1, letter) : hexadecimal(byte);
  }
  return result;
}

/// The same for another program's bytes, which need not be UTF-8: all but ASCII as \xNN, and of many the first.
[[nodiscard]] inline std::string printable_bytes(std::string_view bytes) {
  constexpr std::size_t shown_max = 64;
  std::string result;
  for (const char letter : bytes.substr(0, shown_max)) {
    const auto byte = static_cast<std::uint8_t>(letter);
    result += byte >= 0x20 && byte < 0x7F ? std::string(1, letter) : hexadecimal(byte);
  }
  return bytes.size() > shown_max ? result + "..." : result;
}

/// A multi-lock's paths, or nodes, which stand one a line.
[[nodiscard]] inline std::string in_one_line(std::string_view lines) {
  std::string text;
  for (const char letter : lines) {
    text += letter == '\n' ? std::string(", ") : std::string(1, letter);
  }
  return text;
}

}  // namespace zklock::detail
