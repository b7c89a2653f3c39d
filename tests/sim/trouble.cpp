#include "tests/sim/trouble.hpp"

namespace zklock::sim {

std::string_view name(trouble_kind kind) noexcept {
  switch (kind) {
    case trouble_kind::none: return "none";
    case trouble_kind::request_lost: return "request lost";
    case trouble_kind::request_applied: return "request applied, reply lost";
    case trouble_kind::request_throttled: return "request throttled";
    case trouble_kind::reply_lost: return "reply lost";
    case trouble_kind::connection_cut: return "connection cut";
    case trouble_kind::connection_refused: return "connection cut and refused";
    case trouble_kind::session_expired: return "session expired";
    case trouble_kind::session_replaced: return "session replaced";
    case trouble_kind::node_removed: return "node removed";
    case trouble_kind::lock_node_reaped: return "lock node reaped";
    case trouble_kind::lock_node_removed: return "lock node removed";
    case trouble_kind::data_lost: return "servers without their data";
    case trouble_kind::servers_down: return "servers down for long";
    case trouble_kind::server_restarted: return "server restarted";
    case trouble_kind::server_silent: return "server silent";
    case trouble_kind::server_silent_briefly: return "server silent briefly";
    case trouble_kind::uplink_lost: return "client to server lost";
    case trouble_kind::downlink_lost: return "server to client lost";
    case trouble_kind::client_stopped: return "client stopped";
    case trouble_kind::client_crashed: return "client crashed";
    case trouble_kind::time_passes: return "everybody slow";
    case trouble_kind::follower_cut: return "follower cut from its leader";
    case trouble_kind::follower_lagging: return "moved to a lagging follower";
    case trouble_kind::leader_killed: return "leader killed";
    case trouble_kind::uplink_slow: return "client to server slow";
    case trouble_kind::downlink_slow: return "server to client slow";
    case trouble_kind::link_slow: return "client and server slow";
    case trouble_kind::timeout_lowered: return "timeout lowered";
    case trouble_kind::timeout_raised: return "timeout raised";
    case trouble_kind::revalidation_late: return "revalidation late";
    case trouble_kind::to_leader_slow: return "follower to leader slow";
    case trouble_kind::from_leader_slow: return "leader to follower slow";
    case trouble_kind::follower_slow: return "follower and leader slow";
    case trouble_kind::server_stood_still: return "server stood still";
    case trouble_kind::follower_killed: return "follower killed";
    case trouble_kind::leader_deposed: return "leader deposed";
    case trouble_kind::leader_pings_late: return "leader pings late";
  }
  return "?";
}

bool hits_client(trouble_kind kind) noexcept {
  switch (kind) {
    case trouble_kind::request_lost:
    case trouble_kind::request_applied:
    case trouble_kind::request_throttled:
    case trouble_kind::reply_lost:
    case trouble_kind::connection_cut:
    case trouble_kind::connection_refused:
    case trouble_kind::session_expired:
    case trouble_kind::session_replaced:
    case trouble_kind::node_removed:
    case trouble_kind::uplink_lost:
    case trouble_kind::downlink_lost:
    case trouble_kind::client_stopped:
    case trouble_kind::client_crashed:
    case trouble_kind::follower_lagging:
    case trouble_kind::uplink_slow:
    case trouble_kind::downlink_slow:
    case trouble_kind::link_slow:
    case trouble_kind::timeout_lowered:
    case trouble_kind::timeout_raised:
    case trouble_kind::revalidation_late: return true;
    default: return false;
  }
}

bool needs_several_servers(trouble_kind kind) noexcept {
  return kind == trouble_kind::follower_cut || kind == trouble_kind::follower_lagging ||
         kind == trouble_kind::leader_killed ||
         (kind >= trouble_kind::revalidation_late && kind < trouble_kind::lock_node_removed);
}

bool hits_leader(trouble_kind kind) noexcept {
  return kind == trouble_kind::leader_killed || kind == trouble_kind::leader_deposed ||
         kind == trouble_kind::leader_pings_late;
}

bool is_about_deadline(trouble_kind kind) noexcept {
  return kind >= trouble_kind::uplink_slow && kind < trouble_kind::lock_node_removed;
}

bool is_slowness(trouble_kind kind) noexcept {
  switch (kind) {
    case trouble_kind::uplink_slow:
    case trouble_kind::downlink_slow:
    case trouble_kind::link_slow:
    case trouble_kind::revalidation_late:
    case trouble_kind::to_leader_slow:
    case trouble_kind::from_leader_slow:
    case trouble_kind::follower_slow:
    case trouble_kind::server_stood_still: return true;
    default: return false;
  }
}

bool leaves_client_side_alone(trouble_kind kind) noexcept {
  return kind == trouble_kind::none || kind == trouble_kind::session_expired || kind == trouble_kind::node_removed ||
         kind == trouble_kind::lock_node_reaped || kind == trouble_kind::lock_node_removed;
}

}  // namespace zklock::sim
