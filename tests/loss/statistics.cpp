#include "tests/loss/statistics.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace zklock::test {
namespace {

std::string seconds(std::chrono::nanoseconds value) {
  std::array<char, 32> text{};
  const auto whole = std::chrono::round<std::chrono::milliseconds>(value);  // no "-0.000"
  std::snprintf(text.data(), text.size(), "%.3f", std::chrono::duration<double>(whole).count());
  return text.data();
}

}  // namespace

std::string sample::spread() const {
  if (values_.empty()) {
    return "–";
  }
  std::vector<std::chrono::nanoseconds> sorted = values_;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  const auto median = sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return seconds(sorted.front()) + " / " + seconds(median) + " / " + seconds(sorted.back());
}

std::string sample::least() const { return values_.empty() ? "–" : seconds(*std::ranges::min_element(values_)); }

void tally::add(const std::string& answer) {
  if (answer.empty()) {
    return;
  }
  const auto found = std::ranges::find(counts_, answer, [](const auto& one) { return one.first; });
  if (found == counts_.end()) {
    counts_.emplace_back(answer, 1);
  } else {
    ++found->second;
  }
}

std::string tally::text() const {
  if (counts_.empty()) {
    return "–";
  }
  std::string text;
  for (const auto& [answer, count] : counts_) {
    text += (text.empty() ? "" : ", ") + answer + (counts_.size() > 1 ? " (" + std::to_string(count) + ")" : "");
  }
  return text;
}

}  // namespace zklock::test
