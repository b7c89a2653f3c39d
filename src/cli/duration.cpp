#include "src/cli/duration.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace zklock::cli {
namespace {

struct unit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array<unit, 4> units{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::invalid_argument("\"" + std::string(text) + "\" is not a duration: " + std::string(why));
}

}  // namespace

std::chrono::milliseconds parse_duration(std::string_view text) {
  if (text.starts_with('-')) {
    refuse(text, "it is negative");
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc::invalid_argument) {
    refuse(text, "use a whole number and ms, s, m or h, as in 5s");
  }
  const bool too_big = failure != std::errc{};
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  if (name.empty() && number == 0 && !too_big) {
    return std::chrono::milliseconds{0};
  }
  if (name.empty()) {
    refuse(text, "the unit is missing; use ms, s, m or h, as in " + std::string(text) + "s");
  }
  for (const unit& one : units) {
    if (one.name == name) {
      if (too_big || number > duration_max.count() / one.milliseconds) {
        refuse(text, "it is longer than " + to_text(duration_max));
      }
      return std::chrono::milliseconds{number * one.milliseconds};
    }
  }
  refuse(text, "\"" + std::string(name) + "\" is no unit; use a whole number and ms, s, m or h");
}

std::string to_text(std::chrono::milliseconds duration) {
  for (const unit& one : units) {
    if (duration.count() != 0 && duration.count() % one.milliseconds == 0) {
      return std::to_string(duration.count() / one.milliseconds) + std::string(one.name);
    }
  }
  return "0";
}

}  // namespace zklock::cli
