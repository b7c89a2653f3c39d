#include "src/port/path.hpp"

#include <algorithm>
#include <array>
#include <charconv>
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

/// What ZooKeeper's PathUtils lets through. It judges units of UTF-16, and no surrogate passes: so none beyond U+FFFF does.
bool is_allowed(std::uint32_t character) noexcept {
  const bool control = character < 0x20 || (character >= 0x7F && character <= 0x9F);
  const bool surrogate_or_private = character >= 0xD800 && character <= 0xF8FF;
  return !control && !surrogate_or_private && character < 0xFFF0;
}

/// "U+1F512"
std::string code_point(std::uint32_t character) {
  std::array<char, 8> digits{};
  char* const end = std::to_chars(digits.begin(), digits.end(), character, 16).ptr;
  std::string text(digits.begin(), end);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return "U+" + std::string(text.size() < 4 ? 4 - text.size() : 0, '0') + text;
}

}  // namespace

std::string fault_of_path(std::string_view path) {
  const auto at = [&path](const std::string& what, std::size_t place) {
    return what + " at byte " + std::to_string(place) + " of " + std::to_string(path.size());
  };
  if (path.empty() || path.front() != '/') {
    return "it does not begin with '/'";
  }
  if (path.size() == 1) {
    return "the root can be no lock node";
  }
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t place = path.size() - rest.size();
    const auto character = take_character(rest);
    if (!character) {
      return at("no valid UTF-8", place);
    }
    if (!is_allowed(*character)) {
      return at("the character " + code_point(*character) + ", which ZooKeeper does not allow,", place);
    }
  }
  for (std::size_t start = 1; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty()) {
      return end == path.size() ? "it ends in '/'" : at("an empty part", start);
    }
    if (part == "." || part == "..") {
      return at(part == "." ? "the part \".\"" : "the part \"..\"", start);
    }
    start = end + 1;
  }
  return {};
}

bool is_valid_path(std::string_view path) { return fault_of_path(path).empty(); }

void require_valid_path(std::string_view path, std::string_view operation) {
  if (const std::string fault = fault_of_path(path); !fault.empty()) {
    throw error(make_error_code(errc::invalid_path), operation, "\"" + printable(path) + "\"", fault);
  }
}

}  // namespace zklock::detail
