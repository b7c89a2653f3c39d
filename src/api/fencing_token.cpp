#include <zklock/fencing_token.hpp>

#include <array>
#include <cinttypes>
#include <cstdio>

namespace zklock {

std::string to_string(const fencing_token& token) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "z%016" PRIx64 "-%03" PRIx32,
                                   static_cast<std::uint64_t>(token.czxid), token.turn);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace zklock
