#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/checkers.hpp"
#include "tests/sim/scenario.hpp"

namespace zklock::sim {

/// A schedule: at each step, which of the choices was taken.
using schedule = std::vector<std::uint16_t>;

struct bounds {
  /// How often a schedule may leave the first choice, besides the fault; nothing: as often as it likes.
  std::optional<int> deviations;
  /// Give up after so many schedules (and say so); nothing: never.
  std::optional<std::uint64_t> schedules;
};

struct exploration {
  std::uint64_t schedules = 0;  ///< complete ones, in which the fault has struck
  std::uint64_t quiet = 0;      ///< complete ones, in which it has not
  std::uint64_t cut_short = 0;  ///< equivalent to one that was explored: given up on the way
  std::uint64_t untold = 0;  ///< in which a timeout was lowered without the holder's knowledge, and another one granted
  std::uint64_t steps = 0;   ///< performed
  std::uint64_t digest = 0;  ///< of what was seen in the complete ones, in whatever order they were explored
  bool complete = true;      ///< false: a bound was met
  std::optional<violation> found;
  schedule failing;
};

/// Explores every schedule of the scenario with the fault at every step, up to equivalence: depth first. The world is copied
/// at each fork, and put back from there (world_memory.hpp); without such a memory each schedule begins anew. Two schedules
/// are equivalent when they differ only in the order of independent steps (choice.hpp). Of equivalent ones a single one is
/// run to its end: sleep sets, and where all that one client's side can do is independent of everything to come, that is
/// done first.
///
/// What makes a difference to the checkers alone, the order of one client's grant and another's release, is kept by
/// the order of the choices: clients hear first, users act last. So of equivalent schedules the one with the
/// earliest grants and the latest releases is run.
[[nodiscard]] exploration explore(const scenario& plays, const trouble& fault, const bounds& within);

/// Runs one schedule; beyond its end the first choice is taken. The timeline, one line a step.
[[nodiscard]] std::vector<std::string> replay(const scenario& plays, const trouble& fault, const schedule& steps,
                                              std::optional<violation>& found);

[[nodiscard]] std::string text(const schedule& steps);
[[nodiscard]] std::optional<schedule> parse_schedule(const std::string& text);

}  // namespace zklock::sim
