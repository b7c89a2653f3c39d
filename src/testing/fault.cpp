#include "src/testing/fault.hpp"

namespace zklock::testing {

std::string_view name(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::request_lost: return "request lost before it was applied";
    case fault_kind::request_reply_lost: return "request applied, reply lost";
    case fault_kind::request_throttled: return "request throttled";
    case fault_kind::reply_lost: return "reply lost";
    case fault_kind::connection_cut: return "connection cut";
    case fault_kind::uplink_held: return "client to server held";
    case fault_kind::downlink_held: return "server to client held";
    case fault_kind::link_restored: return "held link restored";
    case fault_kind::session_expired: return "session expired";
    case fault_kind::session_replaced: return "session replaced by another";
    case fault_kind::timeout_lowered: return "timeout lowered";
    case fault_kind::timeout_raised: return "timeout raised";
    case fault_kind::containers_reaped: return "containers reaped";
    case fault_kind::server_restarted: return "server restarted";
    case fault_kind::server_stopped: return "server stopped";
    case fault_kind::server_continued: return "server continued";
    case fault_kind::follower_cut: return "follower cut from its leader";
    case fault_kind::follower_lagging: return "follower lagging";
    case fault_kind::follower_unheard: return "follower unheard";
    case fault_kind::follower_joined: return "follower joined";
    case fault_kind::follower_killed: return "follower killed";
    case fault_kind::leader_killed: return "leader killed";
    case fault_kind::leader_deposed: return "leader deposed";
    case fault_kind::leader_ping_late: return "leader pings late";
  }
  return "?";
}

std::string describe(const fault& what) {
  std::string out = "FAULT " + std::string(name(what.kind));
  if (what.kind >= fault_kind::server_restarted) return out + " (s" + std::to_string(what.server) + ")";
  return what.client < 0 ? out : out + " (c" + std::to_string(what.client) + ")";
}

}  // namespace zklock::testing
