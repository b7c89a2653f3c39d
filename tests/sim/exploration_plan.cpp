#include "tests/sim/exploration_plan.hpp"

#include <algorithm>

namespace zklock::sim {

std::optional<int> default_deviations(const scenario& plays, trouble_kind kind) {
  if (kind == trouble_kind::server_silent) {  // of two of them are a third of all schedules: --deviations 2
    return std::min(plays.deviations.value_or(1), 1);
  }
  if (plays.deviations) {
    return plays.deviations;
  }
  if (plays.servers > 1) {
    return 1;
  }
  switch (kind) {
    case trouble_kind::session_replaced: return plays.lock_node_there ? 3 : 2;
    case trouble_kind::downlink_lost:  // a newcomer comes and goes meanwhile
    case trouble_kind::client_stopped: return 3;
    default: return plays.lock_node_there ? std::nullopt : std::optional(3);
  }
}

namespace {

/// Of those who follow something.
bool concerns_followers(const scenario& plays, trouble_kind kind) {
  if (plays.local_sessions) {  // what it is about: a session that begins anew
    return kind == trouble_kind::none || kind == trouble_kind::session_expired ||
           kind == trouble_kind::session_replaced;
  }
  if (plays.about_return || is_about_return(kind)) {
    return plays.about_return && (is_about_return(kind) || kind == trouble_kind::none);
  }
  if (!plays.slow_for.empty()) {
    return kind == trouble_kind::none || kind == trouble_kind::uplink_slow;
  }
  const bool of_locks = !is_about_an_election(plays) &&
                        (kind == trouble_kind::lock_node_reaped || kind == trouble_kind::lock_node_removed);
  const bool of_holds = kind == trouble_kind::timeout_lowered || kind == trouble_kind::timeout_raised;
  return !of_locks && !of_holds && (plays.servers > 1 || !(needs_several_servers(kind) || is_about_deadline(kind)));
}

}  // namespace

bool concerns(const scenario& plays, trouble_kind kind) {
  if (is_about_a_value(plays) || is_about_an_election(plays)) {
    return concerns_followers(plays, kind);
  }
  if (plays.about_deadline || is_about_deadline(kind)) {
    const auto& before = plays.suffered_before;
    const bool again =
        std::any_of(before.begin(), before.end(), [kind](const trouble& one) { return one.kind == kind; });
    return plays.about_deadline && !again &&
           (is_about_deadline(kind) || kind == trouble_kind::none || kind == trouble_kind::leader_killed);
  }
  if (plays.about_return || is_about_return(kind)) {
    return plays.about_return && (is_about_return(kind) || kind == trouble_kind::none);
  }
  if (kind == trouble_kind::lock_node_removed) {  // what it is about: numbers in a row
    return plays.about_numbers ||
           std::any_of(plays.thread_of.begin(), plays.thread_of.end(), [](int host) { return host >= 0; });
  }
  if (!plays.java.empty() && !hits_client(kind) && kind != trouble_kind::none) {
    return false;
  }
  return plays.servers > 1 ? kind == trouble_kind::none || needs_several_servers(kind) : !needs_several_servers(kind);
}

int targets_of(trouble_kind kind, const scenario& plays) {
  if (hits_client(kind)) {
    return static_cast<int>(plays.programs.size());
  }
  const bool of_any_server = kind == trouble_kind::follower_cut || (needs_several_servers(kind) && !hits_leader(kind));
  return of_any_server ? plays.servers : 1;
}

std::vector<std::chrono::nanoseconds> lengths_of(trouble_kind kind, const scenario& plays) {
  if (!is_slowness(kind)) {
    return {std::chrono::nanoseconds{0}};
  }
  if (!plays.slow_for.empty()) {
    return {plays.slow_for.begin(), plays.slow_for.end()};
  }
  const std::chrono::nanoseconds timeout = plays.session_timeout;
  if (is_about_a_value(plays) || is_about_an_election(plays)) {  // no deadline makes a difference to it
    return {timeout * 8 / 12};
  }
  return {timeout * 3 / 12, timeout * 8 / 12};
}

}  // namespace zklock::sim
