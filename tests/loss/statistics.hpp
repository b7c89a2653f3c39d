#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace zklock::test {

/// Durations of several runs, and what a table says of them.
class sample {
 public:
  void add(std::chrono::nanoseconds one) { values_.push_back(one); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  /// "0.912 / 1.034 / 1.201": least, median and greatest, in seconds; a dash when there is none.
  [[nodiscard]] std::string spread() const;
  [[nodiscard]] std::string least() const;  ///< alone

 private:
  std::vector<std::chrono::nanoseconds> values_;
};

/// How often each of several answers was given: "granted (18), not in time (2)"; the count is left out of a single one.
class tally {
 public:
  void add(const std::string& answer);
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::pair<std::string, int>> counts_;
};

}  // namespace zklock::test
