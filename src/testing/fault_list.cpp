#include "src/testing/fault_list.hpp"

#include <algorithm>

#include "src/testing/administration.hpp"
#include "src/testing/client_library.hpp"
#include "src/testing/client_network.hpp"
#include "src/testing/leadership.hpp"
#include "src/testing/request_intake.hpp"
#include "src/testing/server_control.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

/// What the client gets instead of what it asked for at first.
std::chrono::milliseconds lowered(const handle& h) { return h.with.timeout / 2; }
std::chrono::milliseconds raised(const handle& h) { return h.with.timeout * 3 / 2; }

void list_connection(const world& w, const handle& h, std::vector<fault>& out) {
  const auto add = [&](fault_kind kind) {
    out.push_back({kind, h.client, h.number, static_cast<std::uint8_t>(h.at->server)});
  };
  if (h.at->has_request_under_way()) {
    add(fault_kind::request_lost);
    if (can_serve(w, *h.at)) {
      add(fault_kind::request_reply_lost);
      add(fault_kind::request_throttled);
    }
  }
  if (h.at->has_reply_under_way()) add(fault_kind::reply_lost);
  add(fault_kind::connection_cut);
}

void list_handle(const world& w, const handle& h, std::vector<fault>& out) {
  const auto add = [&](fault_kind kind) {
    out.push_back({kind, h.client, h.number, static_cast<std::uint8_t>(h.at != nullptr ? h.at->server : 0)});
  };
  if (h.at != nullptr) list_connection(w, h, out);
  const client_state* state = w.find_state(h.client);
  if (!state->up_held) add(fault_kind::uplink_held);
  if (!state->down_held) add(fault_kind::downlink_held);
  if (state->up_held || state->down_held) add(fault_kind::link_restored);
  if (lowered(h) >= 2 * w.with.tick && w.with.session_timeout_max > lowered(h)) add(fault_kind::timeout_lowered);
  if (w.with.session_timeout_min < raised(h)) add(fault_kind::timeout_raised);
  if (w.servers.has_quorum() && w.sessions.contains(h.session.id())) {
    add(fault_kind::session_expired);
    add(fault_kind::session_replaced);
  }
}

void list_server(const world& w, const server& s, std::vector<fault>& out) {
  const auto add = [&](fault_kind kind) { out.push_back({kind, -1, 0, static_cast<std::uint8_t>(s.number)}); };
  add(fault_kind::server_restarted);
  if (!s.down) add(s.frozen ? fault_kind::server_continued : fault_kind::server_stopped);
  if (w.servers.size() == 1 || s.down) return;
  if (w.servers.leads(s)) {
    add(fault_kind::leader_killed);
    if (w.servers.can_spare_one()) add(fault_kind::leader_deposed);
    if (!w.ping.is_late()) add(fault_kind::leader_ping_late);
  } else if (w.servers.believes_in_leader(s)) {
    if (!s.line.cut && !s.line.lagging) {
      add(fault_kind::follower_cut);
      add(fault_kind::follower_lagging);
    }
    if (!s.line.cut && !s.line.unheard) add(fault_kind::follower_unheard);
    if (w.servers.can_spare_one()) add(fault_kind::follower_killed);
  }
  if (s.line.disturbed() || s.deposed) add(fault_kind::follower_joined);
}

/// The next request is refused, and nothing else happens.
void throttle(world& w, link& l, int client) {
  client_network(w).answer_next_with(client, code::throttled);
  request_intake(w).serve_through_request(l);
  w.state_of(client).next_answer.reset();  // the server may have hung up before it came to it
}

void apply_to_connection(world& w, const fault& what) {
  const auto h = w.find_handle(what.handle);
  if (h == nullptr || h->at == nullptr) return;
  if (what.kind == fault_kind::request_throttled) {
    throttle(w, *h->at, what.client);
    return;
  }
  link& l = *h->at;
  if (what.kind == fault_kind::request_reply_lost) request_intake(w).serve_through_request(l);
  client_library(w).sever(l, code::connection_loss);
}

void apply_to_session(world& w, const fault& what) {
  const auto h = w.find_handle(what.handle);
  if (h == nullptr) return;
  switch (what.kind) {
    case fault_kind::session_expired: leadership(w).expire(h->session.id()); break;
    case fault_kind::session_replaced: leadership(w).replace(h->session.id()); break;
    case fault_kind::timeout_lowered:
      administration(w).bound_timeouts(std::min(w.with.session_timeout_min, lowered(*h)), lowered(*h));
      break;
    default: administration(w).bound_timeouts(raised(*h), std::max(w.with.session_timeout_max, raised(*h))); break;
  }
}

}  // namespace

std::vector<fault> list_faults(const world& w) {
  std::vector<fault> out;
  for (const auto& h : w.handles) list_handle(w, *h, out);
  if (w.servers.has_quorum() && !w.servers.nodes().plan_reaping().empty()) {
    out.push_back({fault_kind::containers_reaped, -1, 0, 0});
  }
  for (const server& s : w.servers) list_server(w, s, out);
  return out;
}

void apply(world& w, const fault& what) {
  switch (what.kind) {
    case fault_kind::request_lost:
    case fault_kind::request_reply_lost:
    case fault_kind::request_throttled:
    case fault_kind::reply_lost:
    case fault_kind::connection_cut: apply_to_connection(w, what); break;
    case fault_kind::uplink_held: client_network(w).hold_requests(what.client, true); break;
    case fault_kind::downlink_held: client_network(w).hold_replies(what.client, true); break;
    case fault_kind::link_restored: client_network(w).hold(what.client, false, false); break;
    case fault_kind::session_expired:
    case fault_kind::session_replaced:
    case fault_kind::timeout_lowered:
    case fault_kind::timeout_raised: apply_to_session(w, what); break;
    case fault_kind::containers_reaped: administration(w).reap_containers(); break;
    case fault_kind::server_restarted: server_control(w).restart_server(what.server); break;
    case fault_kind::server_stopped: server_control(w).stop_server(what.server); break;
    case fault_kind::server_continued: server_control(w).continue_server(what.server); break;
    case fault_kind::follower_cut: server_control(w).cut_follower(what.server); break;
    case fault_kind::follower_lagging: server_control(w).lag_follower(what.server); break;
    case fault_kind::follower_unheard: server_control(w).hold_to_leader(what.server, true); break;
    case fault_kind::follower_joined: server_control(w).join_follower(what.server); break;
    case fault_kind::follower_killed:
    case fault_kind::leader_killed: server_control(w).kill_server(what.server); break;
    case fault_kind::leader_deposed: server_control(w).depose_leader(); break;
    case fault_kind::leader_ping_late: server_control(w).delay_leader_ping(); break;
  }
}

}  // namespace zklock::testing
