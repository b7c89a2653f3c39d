#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace zklock::cli {

/// How many grants there were in the last minute, to the second. At most 61 entries.
class grants_in_a_minute {
 public:
  using instant = std::chrono::steady_clock::time_point;

  /// `total`: all up to now; it never falls.
  void note(std::uint64_t total, instant now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (total > total_) {
      if (seconds_.empty() || seconds_.back().at != second) {
        seconds_.push_back({second, 0});
      }
      seconds_.back().grants += total - total_;
      total_ = total;
    }
    forget(now);
  }
  [[nodiscard]] std::uint64_t count(instant now) {
    forget(now);
    std::uint64_t all = 0;
    for (const entry& one : seconds_) {
      all += one.grants;
    }
    return all;
  }

 private:
  struct entry {
    std::chrono::time_point<std::chrono::steady_clock, std::chrono::seconds> at;
    std::uint64_t grants;
  };
  void forget(instant now) {
    while (!seconds_.empty() && seconds_.front().at + std::chrono::minutes(1) <= now) {
      seconds_.pop_front();
    }
  }

  std::deque<entry> seconds_;
  std::uint64_t total_ = 0;
};

}  // namespace zklock::cli
