#include "recipes/contender_name.hpp"

#include <charconv>

namespace zklock::recipes {
namespace {

constexpr std::size_t sequence_digits = 10;

std::array<char, 16> hex_digits(std::uint64_t number) noexcept {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<char, 16> text{};
  for (auto place = text.rbegin(); place != text.rend(); ++place, number >>= 4) {
    *place = digits[number & 0xF];
  }
  return text;
}

/// The sequence number at the end of a name ("%010d": ten characters, or eleven when it is negative and long), and what
/// stands before it.
std::optional<std::pair<std::string_view, sequence_number>> split_sequence(std::string_view name) noexcept {
  if (name.size() < sequence_digits) {
    return std::nullopt;
  }
  std::size_t start = name.size() - sequence_digits;
  const bool negative = start > 0 && name[start - 1] == '-';
  const std::string_view digits = name.substr(start);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  // "…-lock-2147483648" has no positive reading: the dash is the sign of a counter that has gone round.
  const bool sign_belongs =
      negative && (name.substr(0, start - 1).ends_with('-') || name.substr(0, start - 1).ends_with('_'));
  if (sign_belongs) {
    number = -number;
    --start;
  }
  if (number > INT32_MAX || number < INT32_MIN) {
    return std::nullopt;
  }
  return std::pair{name.substr(0, start), sequence_number{static_cast<std::int32_t>(number)}};
}

bool is_foreign(std::string_view prefix) noexcept {
  return prefix.starts_with("read-") || prefix.starts_with("write-") || prefix.starts_with("permit-") ||
         prefix.ends_with("__READ__") || prefix.ends_with("__WRIT__") || prefix.ends_with("__rlock__") ||
         prefix.ends_with("-lease-") || prefix.ends_with("-latch-");
}

}  // namespace

contender_id::contender_id(std::uint64_t high, std::uint64_t low) noexcept {
  std::size_t place = 0;
  for (const char digit : hex_digits(high)) {
    digits_[place++] = digit;
  }
  for (const char digit : hex_digits(low)) {
    digits_[place++] = digit;
  }
}

std::optional<parsed_name> parse_contender_name(std::string_view name) noexcept {
  const auto split = split_sequence(name);
  if (!split) {
    return std::nullopt;
  }
  const auto [prefix, sequence] = *split;
  if (prefix.ends_with("-lock-") || prefix.ends_with("__lock__")) {
    return parsed_name{contender_kind::mutex, sequence};
  }
  if (is_foreign(prefix)) {
    return parsed_name{contender_kind::foreign, sequence};
  }
  return std::nullopt;
}

std::string mutex_contender_prefix(const contender_id& id) { return std::string(id.text()) + "-lock-"; }

}  // namespace zklock::recipes
