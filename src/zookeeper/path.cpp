#include "src/zookeeper/path.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <zklock/error.hpp>

#include "src/errors/printable.hpp"

namespace zklock::detail {
namespace {

/// Takes one character of UTF-8 off the front. Nothing if it is none.
std::optional<std::uint32_t> take_character(std::string_view& text) noexcept {
  const auto byte = [&text](std::size_t place) { return static_cast<std::uint8_t>(text[place]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80         ? 1
                             : (first >> 5) == 6  ? 2
                             : (first >> 4) == 14 ? 3
                             : (first >> 3) == 30 ? 4
                                                  : 0;
  if (length == 0 || text.size() < length) {
    return std::nullopt;
  }
  std::uint32_t character = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t place = 1; place < length; ++place) {
    if ((byte(place) >> 6) != 2) {
      return std::nullopt;
    }
    character = (character << 6) | (byte(place) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (character < least[length] || character > 0x10FFFF) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return character;
}

/// What ZooKeeper's PathUtils lets through.
bool is_allowed(std::uint32_t character) noexcept {
  const bool control = character < 0x20 || (character >= 0x7F && character <= 0x9F);
  const bool surrogate_or_private = character >= 0xD800 && character <= 0xF8FF;
  const bool special = character >= 0xFFF0 && character <= 0xFFFF;
  return !control && !surrogate_or_private && !special;
}

}  // namespace

bool is_valid_path(std::string_view path) noexcept {
  if (path.size() < 2 || path.front() != '/' || path.back() == '/') {
    return false;
  }
  for (std::string_view rest = path; !rest.empty();) {
    const auto character = take_character(rest);
    if (!character || !is_allowed(*character)) {
      return false;
    }
  }
  for (std::size_t start = 1; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    start = end + 1;
  }
  return true;
}

void require_valid_path(std::string_view path, std::string_view operation) {
  if (!is_valid_path(path)) {
    throw error(errc::invalid_path, operation, "\"" + printable(path) + "\"");
  }
}

}  // namespace zklock::detail
