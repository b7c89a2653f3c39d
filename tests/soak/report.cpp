// What the director prints.
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>

#include "tests/soak/director.hpp"

namespace zklock::soak {
namespace {

std::string joined(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return text.empty() ? "none" : text;
}

long long in_milliseconds(nanoseconds time) { return time.count() / 1'000'000; }

std::string clock_text(std::chrono::milliseconds time) {
  std::ostringstream out;
  const auto seconds = time.count() / 1'000;
  out << seconds / 60 << ':' << std::setw(2) << std::setfill('0') << seconds % 60;
  return out.str();
}

}  // namespace

void director::print_line() {
  next_line_ += std::chrono::minutes{1};
  const figures& now = judge_.counted();
  const auto faults = std::accumulate(stage_.done().begin(), stage_.done().end(), std::uint64_t{0},
                                      [](std::uint64_t sum, const auto& one) { return sum + one.second; });
  std::cout << "[" << clock_text(elapsed()) << "] round " << round_ << ": " << now.grants << " grants of "
            << now.attempts << " attempts; lost: " << joined(now.losses) << "; faults " << faults << "; writes "
            << now.writes << " and " << now.refused << " refused; longest overrun "
            << in_milliseconds(now.longest_overrun) << " ms" << std::endl;
}

void director::print_summary() {
  const figures& all = judge_.counted();
  const auto row = [](const std::string& name, const auto& value) {
    std::cout << "  " << std::left << std::setw(26) << name << value << "\n";
  };
  std::cout << "\nAfter " << clock_text(elapsed()) << ", seed " << options_.stage.seed << ":\n";
  row("rounds", round_ - 1);
  row("attempts", all.attempts);
  row("outcomes", joined(all.outcomes));
  row("losses", joined(all.losses));
  row("given back", joined(all.releases));
  row("writes accepted", all.writes);
  row("refused by their token", all.refused);
  row("holds beside a forced end", judge_.excused());
  row("cut short by SIGKILL", all.cut_short);
  row("sessions closed", std::to_string(all.sessions) + ", the longest took " +
                             std::to_string(in_milliseconds(all.longest_renewal)) + " ms");
  row("longest wait", std::to_string(in_milliseconds(all.longest_wait)) + " ms");
  row("longest overrun", std::to_string(in_milliseconds(all.longest_overrun)) + " ms (and up to " +
                             std::to_string(in_milliseconds(all.longest_standstill)) + " ms of standing still)");
  row("longest until all rested", std::to_string(longest_until_rest_.count()) + " ms");
  row("longest until none left", std::to_string(longest_left_.count()) + " ms");
  std::map<std::string, std::uint64_t> faults;
  for (const auto& [kind, count] : stage_.done()) faults[std::string(to_string(kind))] = count;
  row("faults", joined(faults));
  row("servers' standstills", stage_.standstills());
  row("findings", judge_.found().size());
  std::cout << std::flush;
}

void director::print_findings() {
  if (judge_.found().empty()) return;
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, judge_.found().size()); ++i) {
    const finding& one = judge_.found()[i];
    std::cout << "\nFOUND " << one.check << ": " << one.what << "\n";
    for (const attempt_id& of : one.of) print_excerpt(of);
  }
  std::cout << "\nThe plan can be replayed with --seed " << options_.stage.seed << "; the logs are in "
            << options_.stage.directory.string() << std::endl;
}

void director::print_excerpt(const attempt_id& of) const {
  std::ifstream in(options_.stage.directory / (of.worker + ".events"));
  const std::string number = std::to_string(of.attempt);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string attempt;
    words >> kind >> attempt;
    if (attempt == number && kind != "at-rest") std::cout << "    " << of.worker << ": " << line << "\n";
  }
}

}  // namespace zklock::soak
