#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/program.hpp"
#include "tests/sim/trouble.hpp"
#include "tests/sim/wanted.hpp"

namespace zklock::sim {

/// What each program does, from which state on.
struct scenario {
  std::string name;
  std::vector<script> programs;
  /// Java programs that contend with them. No fault hits these: only those that hit a single client are explored.
  std::vector<script> java = {};
  /// How many actions each program (these, then the Java ones) has done before the exploration begins. All programs have
  /// come to rest by then.
  std::vector<std::size_t> done_before = {};
  /// Which program's session each program uses, as a further thread of that program (which comes before it); -1, or
  /// nothing: its own.
  std::vector<int> thread_of = {};
  std::vector<lock_plan> locks = {lock_plan{}};
  int servers = 1;
  bool lock_node_there = true;
  std::chrono::milliseconds session_timeout{6000};
  int sync_limit = 4;  ///< ticks
  std::chrono::milliseconds tick{500};
  std::chrono::milliseconds expiry_phase{0};  ///< see testing::ensemble::config
  bool clients_stay = false;                  ///< each client knows one server only
  /// Struck once all programs have come to rest, before the exploration begins.
  std::vector<trouble> suffered_before = {};
  /// Struck just before the explored fault, at the same instant.
  std::vector<trouble> preceded_by = {};
  /// Struck together with the explored fault; when it is that something is slow for a while, a little after its end.
  std::vector<trouble> followed_by = {};
  /// About instants, with a single schedule of steps: explored with the faults of that kind, and with these alone.
  bool about_deadline = false;
  /// About servers that were away for long: explored with the faults of that kind, and with these alone.
  bool about_return = false;
  /// Idle sessions send heartbeats, as session_runner has them do. The exhaustive run does without: each is one more
  /// step for every fault.
  bool beats_when_idle = true;
  /// About numbers in a row: explored with the removal of the lock node, too.
  bool about_numbers = false;
  bool local_sessions = false;  ///< see testing::ensemble::config
  /// What is slow is so for these times; nothing: as usual (exploration_plan.hpp). Explored with slowness alone.
  std::vector<std::chrono::milliseconds> slow_for = {};
  bool counter_wraps = false;  ///< see testing::ensemble::config
  std::uint64_t salt = 1;      ///< of the contenders' ids
  /// The exhaustive run leaves the first choice so often at the most, besides the fault; nothing: as it sees fit.
  std::optional<int> deviations = {};
};

/// What the exhaustive run explores.
[[nodiscard]] const std::vector<scenario>& exhaustive_scenarios();
/// Parts of them.
[[nodiscard]] std::vector<scenario> turns_in_one_process();
[[nodiscard]] std::vector<scenario> threads_of_one_session();
[[nodiscard]] std::vector<scenario> calls_of_one_owner();
[[nodiscard]] std::vector<scenario> bounded_holds();
[[nodiscard]] std::vector<scenario> cycles_of_one_session();
[[nodiscard]] std::vector<scenario> kept_locks();
[[nodiscard]] std::vector<scenario> followed_values();
[[nodiscard]] std::vector<scenario> observed_elections();
/// Some program observes who leads.
[[nodiscard]] bool is_about_an_election(const scenario& plays);
/// Some program follows a node, or updates its value.
[[nodiscard]] bool is_about_a_value(const scenario& plays);
[[nodiscard]] const scenario* find_scenario(std::string_view name);

}  // namespace zklock::sim
