#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace zklock::soak {

enum class fault_kind : std::uint8_t {
  server_frozen_briefly,  ///< SIGSTOP, SIGCONT
  server_frozen_long,     ///< the same, for longer than sessions last
  server_killed,          ///< any one; and started again
  leader_killed,
  quorum_killed,     ///< two at once
  follower_cut_off,  ///< from its leader; clients still reach it
  leader_cut_off,    ///< from both followers
  way_cut,           ///< between one worker and the servers, as the next ones
  way_held,
  requests_held,
  replies_held,
  way_delayed,
  way_refused,      ///< no client can connect; a client that is connected to one server loses that connection
  session_expired,  ///< behind its client's back
  node_removed,     ///< a contender's, by an operator
  worker_stopped,   ///< SIGSTOP, for longer than its session lasts, SIGCONT
  worker_killed,    ///< and another one in its place
};
inline constexpr std::size_t fault_kinds = 17;
[[nodiscard]] std::string_view to_string(fault_kind kind);

/// What is drawn beforehand. What it hits depends on the leader and the holders when it comes.
struct planned_fault {
  fault_kind kind{};
  std::chrono::milliseconds at{};  ///< since the round began
  std::chrono::milliseconds lasts{};
  std::uint64_t choice = 0;  ///< of the server, the worker, the node
};

/// The faults of one round, by time. Each kind comes at least once; they overlap; there are two bursts of them, with
/// quiet behind each. The same for the same seed, round and length.
[[nodiscard]] std::vector<planned_fault> plan_round(std::uint64_t seed, std::uint64_t round,
                                                    std::chrono::milliseconds length);

}  // namespace zklock::soak
