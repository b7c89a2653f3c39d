#pragma once

#include <chrono>

namespace zklock::testing {

/// An ensemble's size and times, and the ways in which servers differ.
struct ensemble_config {
  int servers = 1;
  std::chrono::milliseconds tick{500};
  int sync_limit = 4;  ///< ticks
  /// How late the leader's ping of its followers is, if it is: a little less than a twentieth of a tick, which clients
  /// reckon with.
  std::chrono::microseconds leader_ping_delay{24'999};
  std::chrono::milliseconds session_timeout_min{500};
  std::chrono::milliseconds session_timeout_max{60'000};
  /// When the leader ends sessions that are overdue: this long before each whole tick.
  std::chrono::milliseconds expiry_phase{0};
  /// A server lets a new session begin without asking the leader, however far it is behind.
  bool local_sessions = false;
  /// After its greatest number the sequence counter goes on with the smallest: servers before 3.6 always, later ones
  /// when creates follow close on each other. Otherwise it sticks.
  bool counter_wraps = false;
};

}  // namespace zklock::testing
