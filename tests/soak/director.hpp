#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/soak/event_log.hpp"
#include "tests/soak/judge.hpp"
#include "tests/soak/stage.hpp"

namespace zklock::soak {

struct soak_options {
  std::chrono::milliseconds time{std::chrono::minutes{30}};
  stage_options stage{};
  bool every_fault = true;  ///< a kind of fault that never came is a finding
};

/// Runs the soak, in rounds: a plan of faults, quiet, rest; then the judge has its say, and whatever is left on the servers.
/// Between rounds the logs start afresh. One thread.
class director {
 public:
  explicit director(soak_options options);

  /// True when nothing was found. Prints a line a minute, and a summary.
  [[nodiscard]] bool run();

 private:
  using clock = std::chrono::steady_clock;

  void run_round(std::uint64_t round, std::chrono::milliseconds length);
  void perform(std::uint64_t round, std::chrono::milliseconds length);
  [[nodiscard]] planned_fault aimed(planned_fault fault) const;
  void come_to_rest();
  void find_what_is_left();
  [[nodiscard]] std::vector<std::string> contenders_left();
  void hear_all();
  void drop_read_logs();
  void find(const std::string& check, const std::string& what) { judge_.find({check, what, {}}); }

  void print_line();
  void print_summary();
  void print_findings();
  void print_excerpt(const attempt_id& of) const;
  [[nodiscard]] std::chrono::milliseconds elapsed() const;

  const soak_options options_;
  std::uint64_t round_ = 0;
  std::chrono::milliseconds longest_until_rest_{0};
  std::chrono::milliseconds longest_left_{0};
  judge judge_;
  std::map<std::string, event_tail> tails_;
  stage stage_;
  const clock::time_point began_ = clock::now();  ///< when all servers served: starting them is not counted
  clock::time_point next_line_ = began_ + std::chrono::minutes{1};
};

}  // namespace zklock::soak
