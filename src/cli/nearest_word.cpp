#include "src/cli/nearest_word.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace zklock::cli {
namespace {

constexpr std::size_t characters_per_slip = 3;
constexpr std::size_t prefix_min = 4;  ///< of an option with its dashes, say

/// How many characters have to be put in, left out, replaced, or swapped with their neighbour.
std::size_t slips_between(std::string_view one, std::string_view other) {
  const std::size_t width = other.size() + 1;
  std::vector<std::size_t> slips((one.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return slips[i * width + j]; };
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j <= other.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const bool same = one[i - 1] == other[j - 1];
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1)});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return slips.back();
}

}  // namespace

std::string nearest_word(std::string_view typed, std::span<const std::string> words) {
  constexpr std::size_t longest = 64;  // what is longer is no slip
  std::string nearest;
  if (typed.size() > longest) {
    return nearest;
  }
  std::size_t fewest = std::max<std::size_t>(1, typed.size() / characters_per_slip) + 1;
  for (const std::string& word : words) {
    const bool begins_with_it = typed.size() >= prefix_min && word.starts_with(typed);
    const std::size_t slips = begins_with_it ? 1 : slips_between(typed, word);
    if (slips < fewest && slips < word.size()) {
      fewest = slips;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace zklock::cli
