#include "recipes/permit_limit.hpp"

#include <algorithm>
#include <charconv>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {
namespace {

/// The number in the line "<key><number>" that `text` begins with, and takes that line off.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view key) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with(key)) {
    return std::nullopt;
  }
  const std::string_view digits = line.substr(key.size());
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc{} || end != digits.data() + digits.size() || number == 0 || number > permits_max) {
    return std::nullopt;
  }
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return number;
}

}  // namespace

std::string limit_data(const permit_limit& limit) {
  std::string text = "limit=" + std::to_string(limit.limit) + "\n";
  if (limit.was > limit.limit) {
    text += "was=" + std::to_string(limit.was) + "\n";
  }
  return text;
}

std::optional<permit_limit> parse_limit(std::string_view data) {
  const auto limit = take_number(data, "limit=");
  if (!limit) {
    return std::nullopt;
  }
  const std::uint32_t was = take_number(data, "was=").value_or(0);
  return permit_limit{*limit, std::max(*limit, was)};
}

permit_limit changed_limit(const permit_limit& from, std::uint32_t to, bool queue_empty) noexcept {
  // A contender that was granted under `from.limit` may have come after the look at the queue.
  return {to, std::max({to, from.limit, queue_empty ? 0 : from.was})};
}

}  // namespace zklock::recipes
