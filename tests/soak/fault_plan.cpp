#include "tests/soak/fault_plan.hpp"

#include <algorithm>

#include "tests/soak/lot.hpp"

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::array<std::string_view, fault_kinds> names{
    "server-frozen-briefly", "server-frozen-long", "server-killed", "leader-killed",   "quorum-killed",
    "follower-cut-off",      "leader-cut-off",     "way-cut",       "way-held",        "requests-held",
    "replies-held",          "way-delayed",        "way-refused",   "session-expired", "node-removed",
    "worker-stopped",        "worker-killed"};

milliseconds duration_of(fault_kind kind, lot& draws) {
  switch (kind) {
    case fault_kind::server_frozen_briefly: return draws.between(100ms, 1500ms);
    case fault_kind::server_frozen_long: return draws.between(3s, 6s);
    case fault_kind::server_killed:
    case fault_kind::leader_killed:
    case fault_kind::quorum_killed: return draws.between(100ms, 3s);
    case fault_kind::follower_cut_off:
    case fault_kind::leader_cut_off: return draws.between(500ms, 4s);
    case fault_kind::session_expired:
    case fault_kind::node_removed: return 0ms;
    case fault_kind::worker_stopped: return draws.between(1s, 6s);
    case fault_kind::worker_killed: return draws.between(0ms, 2s);
    default: return draws.once_in(2) ? draws.between(50ms, 1500ms) : draws.between(2s, 6s);
  }
}

/// Where in the round: there are two bursts of faults, each with a phase of quiet behind it, or no worker would ever
/// get to work.
milliseconds place(double part, milliseconds length) {
  const double at = part < 0.5 ? part * 0.7 : 0.15 + part * 0.7;
  return milliseconds(static_cast<std::int64_t>(at * static_cast<double>(length.count())));
}

}  // namespace

std::string_view to_string(fault_kind kind) { return names.at(static_cast<std::size_t>(kind)); }

std::vector<planned_fault> plan_round(std::uint64_t seed, std::uint64_t round, milliseconds length) {
  lot draws(seed * 1'000'003 + round);
  constexpr auto apart = 2500ms;
  const std::size_t count = std::max(fault_kinds, static_cast<std::size_t>(std::max(length, 0ms) / apart));
  std::vector<fault_kind> bag;
  std::vector<planned_fault> plan;
  for (std::size_t i = 0; i < count; ++i) {
    if (bag.empty()) {
      for (std::size_t kind = 0; kind < fault_kinds; ++kind) bag.push_back(static_cast<fault_kind>(kind));
    }
    const auto drawn = bag.begin() + static_cast<std::ptrdiff_t>(draws.below(bag.size()));
    const double part =
        (static_cast<double>(i) + static_cast<double>(draws.below(1'000)) / 1'000) / static_cast<double>(count);
    plan.push_back({*drawn, place(part, length), duration_of(*drawn, draws), draws.below(1'000'000)});
    bag.erase(drawn);
  }
  return plan;
}

}  // namespace zklock::soak
