#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/checkers.hpp"
#include "tests/sim/scenario.hpp"
#include "tests/sim/trouble.hpp"

namespace zklock::sim {

/// What one seed led to. The same seed leads to the same, on any machine.
struct random_result {
  scenario plays;
  std::uint64_t steps = 0;
  std::uint64_t grants = 0;
  std::uint64_t faults = 0;
  std::array<std::uint64_t, trouble_kinds> of_kind{};  ///< faults
  bool untold = false;                                 ///< see checkers::excused_by_untold_timeout()
  std::optional<violation> found;
  std::uint64_t digest = 0;           ///< of what was seen
  std::vector<std::string> timeline;  ///< if it was asked for
};

/// Being slow is not a fault there: the clock may go on at any time.
[[nodiscard]] bool is_drawn(trouble_kind kind);

/// Up to eight contenders on up to five servers, each with a script of its own, in a storm of faults: what happens
/// next is drawn by lot, some programs are slower than others, the clock may go on while something is under way. Then
/// the storm ends, and the world has to come to rest with every contender granted. `followed`: mutexes hand over, and may be
/// kept; others observe who leads, stand for election term after term, follow a value, and change it.
[[nodiscard]] random_result random_run(std::uint64_t seed, bool with_timeline, bool followed);

}  // namespace zklock::sim
