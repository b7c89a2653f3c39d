#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace zklock::sim {

extern const char* const help;

/// What the simulator is asked for.
struct arguments {
  bool exhaustive = false, random = false, full = false, trace = false, followed = false;
  std::optional<std::string> scenario, fault, replay;
  std::optional<std::string> digests, write_digests;  ///< files
  std::optional<int> deviations;
  std::optional<std::uint64_t> schedules;
  std::size_t share = 0, shares = 1;  ///< numbered from 0
  int target = 0;
  std::size_t slice = 0;  ///< of a session's tasks; 0: as it ships
  std::chrono::milliseconds lasts{0};
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> runs;
  std::optional<double> seconds;
};

/// False: that is no use of it.
[[nodiscard]] bool parse(int argc, char** argv, arguments& out);

}  // namespace zklock::sim
