// What can go wrong on demand.
#include <algorithm>
#include <utility>

#include "src/zookeeper/request_check.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

using recipes::code;

bool has_request_under_way(const link& l) {
  return std::any_of(l.up.begin(), l.up.end(), [](const upward& m) { return m.what == upward::kind::request; });
}

bool has_reply_under_way(const link& l) {
  return std::any_of(l.down.begin(), l.down.end(), [](const downward& m) { return m.what == downward::kind::reply; });
}

server* at(world& w, int number) {
  return number >= 0 && static_cast<std::size_t>(number) < w.servers.size()
             ? &w.servers[static_cast<std::size_t>(number)]
             : nullptr;
}

/// Executes what the client sent, up to and with its next request.
void serve_next_request(world& w, link& l) {
  while (l.server_open && !l.up.empty()) {
    const bool request = l.up.front().what == upward::kind::request;
    w.serve(l);
    if (request) return;
  }
}

/// What the client gets instead of what it asked for at first.
std::chrono::milliseconds lowered(const handle& h) { return h.with.timeout / 2; }
std::chrono::milliseconds raised(const handle& h) { return h.with.timeout * 3 / 2; }

/// One of them less, they are still a majority.
bool others_can_elect(const world& w) {
  const auto count = std::count_if(w.servers.begin(), w.servers.end(), [&w](const server& s) { return w.elects(s); });
  return static_cast<std::size_t>(count - 1) * 2 > w.servers.size();
}

bool is_of_server(fault_kind kind) { return kind >= fault_kind::server_restarted; }

}  // namespace

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

std::vector<fault> ensemble::faults() const {
  const world& w = *world_;
  std::vector<fault> out;
  for (const auto& h : w.handles) {
    const auto add = [&](fault_kind kind) {
      out.push_back({kind, h->client, h->number, static_cast<std::uint8_t>(h->at != nullptr ? h->at->server : 0)});
    };
    if (h->at != nullptr) {
      if (has_request_under_way(*h->at)) {
        add(fault_kind::request_lost);
        if (w.can_serve(*h->at)) {
          add(fault_kind::request_reply_lost);
          add(fault_kind::request_throttled);
        }
      }
      if (has_reply_under_way(*h->at)) add(fault_kind::reply_lost);
      add(fault_kind::connection_cut);
    }
    const client_state* state = w.find_state(h->client);
    if (!state->up_held) add(fault_kind::uplink_held);
    if (!state->down_held) add(fault_kind::downlink_held);
    if (state->up_held || state->down_held) add(fault_kind::link_restored);
    if (lowered(*h) >= 2 * w.with.tick && w.with.session_timeout_max > lowered(*h)) add(fault_kind::timeout_lowered);
    if (w.with.session_timeout_min < raised(*h)) add(fault_kind::timeout_raised);
    if (w.has_quorum() && w.sessions.contains(h->session)) {
      add(fault_kind::session_expired);
      add(fault_kind::session_replaced);
    }
  }
  if (w.has_quorum() && !w.authoritative().plan_reaping().empty())
    out.push_back({fault_kind::containers_reaped, -1, 0, 0});
  for (const server& s : w.servers) {
    const auto add = [&](fault_kind kind) { out.push_back({kind, -1, 0, static_cast<std::uint8_t>(s.number)}); };
    add(fault_kind::server_restarted);
    if (!s.down) add(s.frozen ? fault_kind::server_continued : fault_kind::server_stopped);
    if (w.servers.size() == 1 || s.down) continue;
    if (s.number == w.leader) {
      add(fault_kind::leader_killed);
      if (others_can_elect(w)) add(fault_kind::leader_deposed);
      if (!w.ping_is_late) add(fault_kind::leader_ping_late);
    } else if (w.believes_in_leader(s)) {
      if (!s.cut && !s.lagging) {
        add(fault_kind::follower_cut);
        add(fault_kind::follower_lagging);
      }
      if (!s.cut && !s.unheard) add(fault_kind::follower_unheard);
      if (others_can_elect(w)) add(fault_kind::follower_killed);
    }
    if (s.cut || s.lagging || s.unheard || s.deposed) add(fault_kind::follower_joined);
  }
  return out;
}

void ensemble::apply(const fault& what) {
  const std::shared_ptr<world> keep = world_;
  world& w = *keep;
  const auto h = w.find_handle(what.handle);
  link* l = h != nullptr ? h->at : nullptr;
  switch (what.kind) {
    case fault_kind::request_lost:
    case fault_kind::reply_lost:
    case fault_kind::connection_cut:
      if (l != nullptr) w.sever(*l, code::connection_loss);
      break;
    case fault_kind::request_reply_lost:
      if (l != nullptr) {
        serve_next_request(w, *l);
        w.sever(*l, code::connection_loss);
      }
      break;
    case fault_kind::request_throttled:
      if (l != nullptr) {
        answer_next_with(what.client, code::throttled);
        serve_next_request(w, *l);
        w.state_of(what.client).next_answer.reset();  // the server may have hung up before it came to it
      }
      break;
    case fault_kind::uplink_held: w.state_of(what.client).up_held = true; break;
    case fault_kind::downlink_held: w.state_of(what.client).down_held = true; break;
    case fault_kind::link_restored: hold(what.client, false, false); break;
    case fault_kind::session_expired:
      if (h != nullptr) w.expire(h->session);
      break;
    case fault_kind::session_replaced:
      if (h != nullptr) w.replace(h->session);
      break;
    case fault_kind::timeout_lowered:
      if (h != nullptr) bound_timeouts(std::min(w.with.session_timeout_min, lowered(*h)), lowered(*h));
      break;
    case fault_kind::timeout_raised:
      if (h != nullptr) bound_timeouts(raised(*h), std::max(w.with.session_timeout_max, raised(*h)));
      break;
    case fault_kind::containers_reaped: reap_containers(); break;
    case fault_kind::server_restarted: restart_server(what.server); break;
    case fault_kind::server_stopped: stop_server(what.server); break;
    case fault_kind::server_continued: continue_server(what.server); break;
    case fault_kind::follower_cut: cut_follower(what.server); break;
    case fault_kind::follower_lagging: lag_follower(what.server); break;
    case fault_kind::follower_unheard: hold_to_leader(what.server, true); break;
    case fault_kind::follower_joined: join_follower(what.server); break;
    case fault_kind::follower_killed:
    case fault_kind::leader_killed: kill_server(what.server); break;
    case fault_kind::leader_deposed: depose_leader(); break;
    case fault_kind::leader_ping_late: delay_leader_ping(); break;
  }
}

std::string ensemble::describe(const fault& what) const {
  std::string out = "FAULT " + std::string(name(what.kind));
  if (is_of_server(what.kind)) return out + " (s" + std::to_string(what.server) + ")";
  return what.client < 0 ? out : out + " (c" + std::to_string(what.client) + ")";
}

void ensemble::cut(int client) {
  for (const auto& h : std::vector(world_->handles)) {
    if (h->client == client && h->at != nullptr) world_->sever(*h->at, code::connection_loss);
  }
}

void ensemble::refuse(int client, bool refused) { world_->state_of(client).refused = refused; }

void ensemble::hold(int client, bool up, bool down) {
  hold_requests(client, up);
  hold_replies(client, down);
}

void ensemble::hold_requests(int client, bool held) { world_->state_of(client).up_held = held; }

void ensemble::hold_replies(int client, bool held) { world_->state_of(client).down_held = held; }

void ensemble::lose_next_request(int client) { world_->state_of(client).lose_next_request = true; }

void ensemble::lose_next_reply(int client) { world_->state_of(client).lose_next_reply = true; }

void ensemble::answer_next_with(int client, client::code code, bool applied) {
  world_->state_of(client).next_answer = client_state::dictated{code, applied};
}

void ensemble::crash(int client) {
  for (const auto& h : std::vector(world_->handles)) {
    if (h->client != client) continue;
    h->closing = true;
    h->state = handle_state::closed;
    if (h->at != nullptr) world_->sever(*h->at, code::connection_loss);
    h->inbox.clear();
    h->home = nullptr;
    world_->forget_handle(*h);
  }
}

void ensemble::expire(std::int64_t session) { world_->expire(session); }

void ensemble::expire_sessions(int client) {
  for (const session_info& session : sessions()) {
    if (session.client == client) world_->expire(session.id);
  }
}

void ensemble::take_over_sessions(int client) {
  for (const auto& l : world_->links) {
    if (l->client->client == client && l->server_open && l->session != 0) world_->hang_up(*l);
  }
}

void ensemble::stop_server(int server_number) {
  if (server* s = at(*world_, server_number); s != nullptr && !s->down) s->frozen = true;
}

void ensemble::continue_server(int server_number) {
  server* s = at(*world_, server_number);
  if (s == nullptr || !s->frozen) return;
  world_->go_on(*s);
}

void ensemble::expire_overdue() {
  for (const session_info& session : sessions()) {
    if (session.deadline <= now()) world_->expire(session.id);
  }
}

void ensemble::restart_server(int server_number) {
  if (server* s = at(*world_, server_number); s != nullptr) world_->restart(*s);
}

void ensemble::kill_server(int server_number) {
  server* s = at(*world_, server_number);
  if (s == nullptr || s->down) return;
  s->frozen = false;
  s->down = true;
  s->serving = s->deposed = false;
  world_->drop_links_of(server_number);
  if (s->number == world_->leader || (world_->leader >= 0 && !world_->has_quorum())) world_->lose_leader();
}

void ensemble::start_server(int server_number) {
  if (server* s = at(*world_, server_number); s != nullptr && s->down) world_->restart(*s);
}

void ensemble::depose_leader() {
  if (world_->leader >= 0 && world_->servers.size() > 1) world_->depose_leader();
}

void ensemble::cut_follower(int server_number) {
  if (server* s = at(*world_, server_number); s != nullptr && world_->servers.size() > 1) s->cut = true;
}

void ensemble::lag_follower(int server_number) {
  if (world_->servers.size() > 1) hold_from_leader(server_number, true);
}

void ensemble::hold_to_leader(int server_number, bool held) {
  if (server* s = at(*world_, server_number); s != nullptr) s->unheard = held;
}

void ensemble::hold_from_leader(int server_number, bool held) {
  if (server* s = at(*world_, server_number); s != nullptr) s->lagging = held;
}

void ensemble::delay_leader_ping() {
  if (!std::exchange(world_->ping_is_late, true)) world_->next_leader_ping += world_->with.leader_ping_delay;
}

void ensemble::join_follower(int server_number) {
  server* s = at(*world_, server_number);
  if (s == nullptr) return;
  s->cut = s->lagging = s->unheard = false;
  if ((!s->serving || s->deposed) && !s->down && !s->frozen) world_->rejoin(*s);
}

void ensemble::bound_timeouts(std::chrono::milliseconds min, std::chrono::milliseconds max) {
  world_->with.session_timeout_min = min;
  world_->with.session_timeout_max = std::max(min, max);
}

int ensemble::reap_containers() {
  if (!world_->has_quorum()) return 0;
  std::vector<change> gone = world_->authoritative().plan_reaping();
  const int count = static_cast<int>(gone.size());
  world_->operator_change(std::move(gone));
  return count;
}

bool ensemble::remove_node(std::string_view path) {
  const tree_node* node = world_->authoritative().find(path);
  if (node == nullptr || path == "/" || !node->children.empty() || world_->leader < 0) return false;
  world_->operator_change({change{change::kind::remove, std::string(path), {}, {}, 0, false}});
  return true;
}

bool ensemble::create_node(std::string_view path, std::string_view data, bool container) {
  const data_tree& tree = world_->authoritative();
  if (!client::valid_path(path) || tree.find(path) != nullptr || tree.find(parent_of(path)) == nullptr) return false;
  if (world_->leader < 0) return false;
  world_->operator_change({change{change::kind::create, std::string(path), std::string(data), {}, 0, container}});
  return true;
}

void ensemble::set_sequence_counter(std::string_view path, std::int32_t next) {
  for (server& s : world_->servers) s.tree.set_sequence_counter(path, next);
}

}  // namespace zklock::testing
