// What can happen next, and how each of it reads in a timeline.
#include <algorithm>
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;

std::uint64_t hash_of(std::string_view path) {
  const std::uint64_t h = std::hash<std::string_view>{}(path);
  return h == 0 ? 1 : h;
}

struct footprint {
  access effect = access::none;
  std::uint64_t path = 0;
  std::uint64_t parent = 0;
};

struct footprint_of {
  footprint operator()(const request::create& r) const { return changes(r.path); }
  footprint operator()(const request::remove& r) const { return changes(r.path); }
  footprint operator()(const request::set& r) const { return {access::writes, hash_of(r.path), hash_of(r.path)}; }
  footprint operator()(const request::list& r) const { return reads(r.path); }
  footprint operator()(const request::get& r) const { return reads(r.path); }
  footprint operator()(const request::exists& r) const { return reads(r.path); }
  footprint operator()(const request::sync&) const { return {}; }
  footprint operator()(const request::multi&) const { return {access::writes, 0, 0}; }

 private:
  static footprint reads(std::string_view path) { return {access::reads, hash_of(path), hash_of(path)}; }
  static footprint changes(std::string_view path) { return {access::writes, hash_of(path), hash_of(parent_of(path))}; }
};

footprint footprint_at(const world& w, const link& l) {
  const upward& message = l.up.front();
  switch (message.what) {
    case upward::kind::set_watches: return {access::reads, 0, 0};
    case upward::kind::close: return {access::writes, 0, 0};
    case upward::kind::request: {
      const footprint out = std::visit(footprint_of{}, message.request);
      // a follower only hands a write on
      if (out.effect == access::writes && l.server != w.leader) return {};
      return out;
    }
    default: return {};
  }
}

struct words_for {
  std::string operator()(const request::create& r) const { return "create " + r.path; }
  std::string operator()(const request::remove& r) const { return "remove " + r.path; }
  std::string operator()(const request::set& r) const { return "set " + r.path; }
  std::string operator()(const request::check& r) const { return "check " + r.path; }
  std::string operator()(const request::list& r) const { return watching("list " + r.path, r.watch); }
  std::string operator()(const request::get& r) const { return watching("get " + r.path, r.watch); }
  std::string operator()(const request::exists& r) const { return watching("exists " + r.path, r.watch); }
  std::string operator()(const request::sync& r) const { return "sync " + r.path; }
  std::string operator()(const request::multi& r) const {
    std::string out = "multi {";
    for (const request::operation& part : r.operations)
      out += (out.back() == '{' ? "" : ", ") + std::visit(*this, part);
    return out + "}";
  }

 private:
  static std::string watching(std::string text, client::watch_id id) {
    return id == client::no_watch ? text : text + " and watch";
  }
};

std::string words(const upward& message) {
  switch (message.what) {
    case upward::kind::connect: return "connect";
    case upward::kind::auth: return "auth";
    case upward::kind::set_watches: return "watch again";
    case upward::kind::ping: return "ping";
    case upward::kind::close: return "close session";
    case upward::kind::request: return std::visit(words_for{}, message.request);
  }
  return "?";
}

std::string_view words(client::node_event event) {
  switch (event) {
    case client::node_event::created: return "created";
    case client::node_event::deleted: return "deleted";
    case client::node_event::changed: return "changed";
    case client::node_event::children_changed: return "children changed";
  }
  return "?";
}

std::string words(const downward& message) {
  switch (message.what) {
    case downward::kind::connected: return "connected";
    case downward::kind::expired: return "expired";
    case downward::kind::auth_failed: return "auth failed";
    case downward::kind::lost: return "connecting";
    case downward::kind::pong: return "pong";
    case downward::kind::closed: return "closed";
    case downward::kind::hangup: return "connection lost";
    case downward::kind::event: return std::string(words(message.event)) + " " + message.path;
    case downward::kind::reply: {
      std::string out = "reply #" + std::to_string(message.id) + " " + std::string(recipes::name(message.reply.code));
      if (!message.reply.name.empty()) out += " " + message.reply.name;
      for (const std::string& child : message.reply.children) out += " " + child;
      return out;
    }
  }
  return "?";
}

bool can_deliver(const world& w, const link& l) {
  if (!l.client_open || l.client->at != &l || l.down.empty() || !l.client->inbox.empty()) return false;
  const client_state* state = w.find_state(l.client->client);
  return state == nullptr || !state->down_held;
}

bool can_follow(const world& w, const server& s) {
  return s.number != w.leader && !s.down_stream.empty() && !s.lagging && !s.frozen && w.attached(s);
}

bool listens_to_leader(const world& w, const server& s) {
  return s.number != w.leader && w.believes_in_leader(s) && !s.frozen;
}

/// Each timer with its instant: due or not.
template <class Visit>
void each_timer(const world& w, Visit visit) {
  step out;
  for (const auto& h : w.handles) {
    out = {};
    out.client = h->client;
    out.link = h->number;
    if (h->at == nullptr) {
      if (h->state == handle_state::connecting && !h->closing) {
        out.kind = step_kind::connect;
        out.server = static_cast<std::uint8_t>(h->next_server);
        visit(h->retry_at, out);
      }
      continue;
    }
    out.server = static_cast<std::uint8_t>(h->at->server);
    out.kind = step_kind::client_timeout;
    visit(h->closing ? h->close_by : h->last_heard + instant(h->timeout) * 2 / 3, out);
    if (h->state == handle_state::connected && !h->closing && h->pending.empty()) {
      out.kind = step_kind::client_ping;
      visit(h->last_sent + instant(h->timeout) / 3, out);
    }
  }
  out = {};
  out.effect = access::writes;
  if (w.has_quorum() && !w.servers[static_cast<std::size_t>(w.leader)].frozen) {
    for (const auto& [id, session] : w.sessions) {
      out.kind = step_kind::session_expiry;
      out.session = id;
      visit(session.deadline, out);
    }
  }
  out = {};
  for (const server& s : w.servers) {
    if (!s.deposed || s.frozen) continue;
    out.kind = step_kind::leader_steps_down;
    out.server = static_cast<std::uint8_t>(s.number);
    visit(s.steps_down_at, out);
  }
  out = {};
  if (w.servers.size() == 1 || w.leader < 0) return;
  if (!w.servers[static_cast<std::size_t>(w.leader)].frozen) {
    out.kind = step_kind::leader_ping;
    visit(w.next_leader_ping, out);
  }
  for (const server& s : w.servers) {
    if (!listens_to_leader(w, s)) continue;
    out.kind = step_kind::follower_gives_up;
    out.server = static_cast<std::uint8_t>(s.number);
    visit(s.heard_leader + instant(w.with.tick) * w.with.sync_limit, out);
  }
}

void deliveries(const world& w, std::vector<step>& out) {
  for (const auto& h : w.handles) {
    if (h->inbox.empty()) continue;
    step next;
    next.kind = step_kind::deliver;
    next.client = h->client;
    next.link = h->number;
    out.push_back(next);
  }
  for (const auto& l : w.links) {
    if (!can_deliver(w, *l)) continue;
    step next;
    next.kind = step_kind::deliver;
    next.client = l->client->client;
    next.link = l->number;
    next.server = static_cast<std::uint8_t>(l->server);
    out.push_back(next);
    const std::uint32_t group = l->down.front().group;
    for (std::size_t i = 1; group != 0 && i < l->down.size() && l->down[i].group == group; ++i) {
      next.position = static_cast<std::uint16_t>(i);
      out.push_back(next);
    }
  }
}

}  // namespace

std::vector<step> ensemble::steps() const {
  std::vector<step> out;
  steps(out);
  return out;
}

void ensemble::steps(std::vector<step>& out) const {
  const world& w = *world_;
  out.clear();
  deliveries(w, out);
  for (const auto& l : w.links) {
    if (!w.can_serve(*l)) continue;
    const footprint touched = footprint_at(w, *l);
    out.push_back({step_kind::serve, touched.effect, static_cast<std::uint8_t>(l->server), 0, l->client->client,
                   l->number, 0, touched.path, touched.parent});
  }
  for (const server& s : w.servers) {
    const auto number = static_cast<std::uint8_t>(s.number);
    if (w.can_lead(s)) out.push_back({step_kind::lead, access::writes, number, 0, -1, 0, 0, 0, 0});
    if (w.can_rejoin(s)) out.push_back({step_kind::follower_rejoins, access::writes, number, 0, -1, 0, 0, 0, 0});
    if (can_follow(w, s)) out.push_back({step_kind::follow, access::writes, number, 0, -1, 0, 0, 0, 0});
  }
  if (w.can_elect()) out.push_back({step_kind::election, access::writes, 0, 0, -1, 0, 0, 0, 0});
  each_timer(w, [&](instant when, const step& what) {
    if (when <= w.now) out.push_back(what);
  });
}

std::optional<instant> ensemble::next_timer() const {
  std::optional<instant> out;
  each_timer(*world_, [&](instant when, const step&) {
    if (when > world_->now && (!out || when < *out)) out = when;
  });
  return out;
}

void ensemble::perform(const step& what) {
  const std::shared_ptr<world> keep = world_;
  world& w = *keep;
  w.sweep();
  switch (what.kind) {
    case step_kind::connect:
      if (const auto h = w.find_handle(what.link); h != nullptr) w.connect(*h);
      break;
    case step_kind::serve:
      if (link* l = w.find_link(what.link); l != nullptr) w.serve(*l);
      break;
    case step_kind::deliver:
      if (const auto h = w.find_handle(what.link); h != nullptr) {
        w.deliver_inbox(h);
      } else if (link* l = w.find_link(what.link); l != nullptr) {
        w.deliver(*l, what.position);
      }
      break;
    case step_kind::lead: w.lead(w.servers[what.server]); break;
    case step_kind::follow: w.follow(w.servers[what.server]); break;
    case step_kind::client_ping:
      if (const auto h = w.find_handle(what.link); h != nullptr) w.ping(*h);
      break;
    case step_kind::client_timeout:
      if (const auto h = w.find_handle(what.link); h != nullptr) w.time_out(*h);
      break;
    case step_kind::leader_ping: w.ping_followers(); break;
    case step_kind::session_expiry: w.expire(what.session); break;
    case step_kind::follower_gives_up: w.give_leader_up(w.servers[what.server]); break;
    case step_kind::leader_steps_down:
    case step_kind::follower_rejoins: w.rejoin(w.servers[what.server]); break;
    case step_kind::election: w.elect(); break;
  }
}

std::string ensemble::describe(const step& what) const {
  const world& w = *world_;
  const std::string c = "c" + std::to_string(what.client);
  const std::string s = "s" + std::to_string(what.server);
  switch (what.kind) {
    case step_kind::serve:
      if (const link* l = w.find_link(what.link); l != nullptr && !l->up.empty()) {
        return c + " -> " + s + ": " + words(l->up.front()) + (l->client_open ? "" : " (late)");
      }
      break;
    case step_kind::deliver:
      if (const auto h = w.find_handle(what.link); h != nullptr && !h->inbox.empty()) {
        return c + " <- itself: " + words(h->inbox.front());
      }
      if (const link* l = w.find_link(what.link); l != nullptr && what.position < l->down.size()) {
        return c + " <- " + s + ": " + words(l->down[what.position]);
      }
      break;
    case step_kind::connect: return c + " -> " + s + ": connect";
    case step_kind::client_ping:
    case step_kind::client_timeout: return c + ": " + std::string(name(what.kind));
    case step_kind::session_expiry: {
      const auto it = w.sessions.find(what.session);
      return "leader: session of c" + (it == w.sessions.end() ? "?" : std::to_string(it->second.client)) + " expires";
    }
    case step_kind::lead: return "leader <- " + s;
    case step_kind::follow: return s + " <- leader";
    case step_kind::leader_ping: return "leader: pings its followers";
    case step_kind::follower_gives_up: return s + ": gives its leader up";
    case step_kind::leader_steps_down: return s + ": leads no more";
    case step_kind::follower_rejoins: return s + ": follows the leader again";
    case step_kind::election: return "servers: elect a leader";
  }
  return std::string(name(what.kind)) + " (gone)";
}

}  // namespace zklock::testing
