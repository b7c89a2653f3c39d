#include "src/testing/step_list.hpp"

#include "src/testing/client_library.hpp"
#include "src/testing/election.hpp"
#include "src/testing/footprint.hpp"
#include "src/testing/leadership.hpp"
#include "src/testing/message_words.hpp"
#include "src/testing/request_intake.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

bool can_deliver(const world& w, const link& l) {
  if (!l.client_open || l.client->at != &l || l.down.empty() || !l.client->inbox.empty()) return false;
  const client_state* state = w.find_state(l.client->client);
  return state == nullptr || !state->down_held;
}

bool can_follow(const world& w, const server& s) {
  return !w.servers.leads(s) && !s.line.down.empty() && !s.line.lagging && !s.frozen && w.servers.attached(s);
}

bool listens_to_leader(const world& w, const server& s) {
  return !w.servers.leads(s) && w.servers.believes_in_leader(s) && !s.frozen;
}

template <class Visit>
void client_timers(const world& w, Visit visit) {
  step out;
  for (const auto& h : w.handles) {
    out = {};
    out.client = h->client;
    out.link = h->number;
    if (h->at == nullptr) {
      if (h->state == handle_state::connecting && !h->closing) {
        out.kind = step_kind::connect;
        out.server = static_cast<std::uint8_t>(h->servers.next());
        visit(h->servers.retry_at(), out);
      }
      continue;
    }
    const std::chrono::milliseconds timeout = h->session.timeout();
    out.server = static_cast<std::uint8_t>(h->at->server);
    out.kind = step_kind::client_timeout;
    visit(h->closing ? h->clock.close_by() : h->clock.timeout_at(timeout), out);
    if (h->state == handle_state::connected && !h->closing && h->requests.none_sent()) {
      out.kind = step_kind::client_ping;
      visit(h->clock.ping_at(timeout), out);
    }
  }
}

template <class Visit>
void server_timers(const world& w, Visit visit) {
  step out;
  out.kind = step_kind::leader_steps_down;
  for (const server& s : w.servers) {
    if (!s.deposed || s.frozen) continue;
    out.server = static_cast<std::uint8_t>(s.number);
    visit(s.deposed->steps_down_at(), out);
  }
  out = {};
  if (w.servers.size() == 1 || !w.servers.has_leader()) return;
  if (!w.servers.leader().frozen) {
    out.kind = step_kind::leader_ping;
    visit(w.ping.next_at(), out);
  }
  out.kind = step_kind::follower_gives_up;
  for (const server& s : w.servers) {
    if (!listens_to_leader(w, s)) continue;
    out.server = static_cast<std::uint8_t>(s.number);
    visit(s.line.heard_leader + instant(w.with.tick) * w.with.sync_limit, out);
  }
}

/// Each timer with its instant: due or not.
template <class Visit>
void each_timer(const world& w, Visit visit) {
  client_timers(w, visit);
  if (w.servers.has_quorum() && !w.servers.leader().frozen) {
    step out;
    out.kind = step_kind::session_expiry;
    out.effect = access::writes;
    for (const auto& [id, session] : w.sessions.all()) {
      out.session = id;
      visit(session.deadline, out);
    }
  }
  server_timers(w, visit);
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

/// A server that listens reads the request in the same step: nothing can come in between that another schedule does not
/// show.
void connect(world& w, handle& h) {
  link* l = client_library(w).connect(h);
  if (l != nullptr && !w.servers[l->server].frozen && !w.state_of(h.client).up_held) request_intake(w).serve(*l);
}

}  // namespace

void list_steps(const world& w, std::vector<step>& out) {
  out.clear();
  deliveries(w, out);
  for (const auto& l : w.links) {
    if (!can_serve(w, *l)) continue;
    const footprint touched = footprint_of(l->up.front(), l->server == w.servers.leader_number());
    out.push_back({step_kind::serve, touched.effect, static_cast<std::uint8_t>(l->server), 0, l->client->client,
                   l->number, 0, touched.path, touched.parent});
  }
  for (const server& s : w.servers) {
    const auto number = static_cast<std::uint8_t>(s.number);
    if (can_lead(w, s)) out.push_back({step_kind::lead, access::writes, number, 0, -1, 0, 0, 0, 0});
    if (w.servers.can_rejoin(s))
      out.push_back({step_kind::follower_rejoins, access::writes, number, 0, -1, 0, 0, 0, 0});
    if (can_follow(w, s)) out.push_back({step_kind::follow, access::writes, number, 0, -1, 0, 0, 0, 0});
  }
  if (w.servers.can_elect()) out.push_back({step_kind::election, access::writes, 0, 0, -1, 0, 0, 0, 0});
  each_timer(w, [&](instant when, const step& what) {
    if (when <= w.now) out.push_back(what);
  });
}

std::optional<instant> next_timer(const world& w) {
  std::optional<instant> out;
  each_timer(w, [&](instant when, const step&) {
    if (when > w.now && (!out || when < *out)) out = when;
  });
  return out;
}

void perform(world& w, const step& what) {
  w.sweep();
  switch (what.kind) {
    case step_kind::connect:
      if (const auto h = w.find_handle(what.link); h != nullptr) connect(w, *h);
      break;
    case step_kind::serve:
      if (link* l = w.find_link(what.link); l != nullptr) request_intake(w).serve(*l);
      break;
    case step_kind::deliver:
      if (const auto h = w.find_handle(what.link); h != nullptr) {
        client_library(w).deliver_inbox(h);
      } else if (link* l = w.find_link(what.link); l != nullptr) {
        client_library(w).deliver(*l, what.position);
      }
      break;
    case step_kind::lead: leadership(w).lead(w.servers[what.server]); break;
    case step_kind::follow: leadership(w).follow(w.servers[what.server]); break;
    case step_kind::client_ping:
      if (const auto h = w.find_handle(what.link); h != nullptr) client_library(w).ping(*h);
      break;
    case step_kind::client_timeout:
      if (const auto h = w.find_handle(what.link); h != nullptr) client_library(w).time_out(*h);
      break;
    case step_kind::leader_ping: leadership(w).ping_followers(); break;
    case step_kind::session_expiry: leadership(w).expire(what.session); break;
    case step_kind::follower_gives_up: election(w).give_leader_up(w.servers[what.server]); break;
    case step_kind::leader_steps_down:
    case step_kind::follower_rejoins: election(w).rejoin(w.servers[what.server]); break;
    case step_kind::election: election(w).elect(); break;
  }
}

std::string describe(const world& w, const step& what) {
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
      const auto it = w.sessions.all().find(what.session);
      const bool known = it != w.sessions.all().end();
      return "leader: session of c" + (known ? std::to_string(it->second.client) : "?") + " expires";
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
