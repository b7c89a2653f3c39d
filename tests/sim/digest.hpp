#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/sim/mixed.hpp"

namespace zklock::sim {

/// One number for a sequence of numbers and texts. The same sequence has the same number with every compiler and on every
/// machine.
class digest {
 public:
  /// A step of FNV-1a with numbers for bytes, and the upper half of the product brought down.
  void add(std::uint64_t value) noexcept {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15ULL;
    value_ ^= value_ >> 32U;
  }
  /// Its size, then its bytes, eight in one number.
  void add(std::string_view text) noexcept {
    add(text.size());
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
      add(byte(text, at) | byte(text, at + 1) << 8U | byte(text, at + 2) << 16U | byte(text, at + 3) << 24U |
          byte(text, at + 4) << 32U | byte(text, at + 5) << 40U | byte(text, at + 6) << 48U |
          byte(text, at + 7) << 56U);
    }
    std::uint64_t rest = 0;
    for (; at < text.size(); ++at) {
      rest = rest << 8U | byte(text, at);
    }
    add(rest);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return mixed(value_); }

 private:
  static std::uint64_t byte(std::string_view text, std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]);
  }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace zklock::sim
