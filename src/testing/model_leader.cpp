// The log, the sessions' clocks, and what passes between the leader and its followers.
#include <algorithm>
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {

world::world(const ensemble::config& config)
    : with(config), servers(static_cast<std::size_t>(std::max(1, config.servers))) {
  for (std::size_t i = 0; i < servers.size(); ++i) servers[i].number = static_cast<int>(i);
  for (server& s : servers) {
    s.zxid = zxid;
    s.tree.let_counters_wrap(with.counter_wraps);
  }
  next_leader_ping = with.tick / 2;
}

world::~world() {
  for (const auto& h : handles) h->home = nullptr;
  for (const auto& l : links) l->client->home = nullptr;
}

bool world::attached(const server& s) const {
  if (leader < 0 || s.down || !s.serving || s.cut) return false;
  return s.number == leader || !servers[static_cast<std::size_t>(leader)].cut;
}

bool world::has_quorum() const {
  if (leader < 0) return false;
  const auto count =
      std::count_if(servers.begin(), servers.end(), [this](const server& s) { return attached(s) && !s.frozen; });
  return static_cast<std::size_t>(count) * 2 > servers.size();
}

bool world::can_elect() const {
  if (leader >= 0) return false;
  const auto count =
      std::count_if(servers.begin(), servers.end(), [](const server& s) { return !s.down && !s.frozen && !s.cut; });
  return static_cast<std::size_t>(count) * 2 > servers.size();
}

void world::forward(server& s, to_leader&& message) {
  s.up.push_back(std::move(message));
  // the leader's own connections need no way to it
  if (s.number == leader && has_quorum()) {
    while (!s.up.empty()) lead(s);
  }
}

void world::touch(server& at, std::int64_t session) {
  if (at.number != leader) {
    at.touched.insert(session);
    return;
  }
  const auto it = sessions.find(session);
  if (it == sessions.end()) return;
  // the leader looks at whole ticks only
  const instant tick = with.tick;
  it->second.deadline = ((now + it->second.timeout) / tick + 1) * tick;
}

void world::lead(server& from) {
  to_leader message = std::move(from.up.front());
  from.up.pop_front();
  switch (message.what) {
    case to_leader::kind::new_session: new_session(from, message); break;
    case to_leader::kind::revalidate: revalidate(from, message); break;
    case to_leader::kind::ping:
      for (const std::int64_t session : message.touched) touch(servers[static_cast<std::size_t>(leader)], session);
      break;
    case to_leader::kind::request: lead_request(from, std::move(message)); break;
  }
}

void world::new_session(server& from, const to_leader& message) {
  link* l = find_link(message.link);
  if (l == nullptr) return;
  const std::int64_t id = ++last_session;
  l->session = id;
  sessions[id] = {message.timeout, instant{0}, from.number, l->client->client};
  touch(servers[static_cast<std::size_t>(leader)], id);
  transaction entry;
  entry.zxid = next_zxid();
  entry.answers_link = message.link;
  entry.answers_connect = true;
  commit(std::move(entry));
}

void world::revalidate(server& from, const to_leader& message) {
  if (replaced.contains(message.session)) {
    new_session(from, message);
    return;
  }
  const auto it = sessions.find(message.session);
  from_leader words;
  words.what = from_leader::kind::revalidated;
  words.link = message.link;
  words.code = it == sessions.end() ? code::session_expired : code::ok;
  if (it != sessions.end()) {
    it->second.owner = from.number;
    touch(servers[static_cast<std::size_t>(leader)], message.session);
  }
  reply_to(from, std::move(words));
}

void world::lead_request(server& from, to_leader&& message) {
  const auto it = sessions.find(message.session);
  const bool moved = it != sessions.end() && it->second.owner != from.number;
  const bool refused = it == sessions.end() || moved;
  if (std::holds_alternative<client::request::sync>(message.message.request) &&
      message.message.what == upward::kind::request) {
    from_leader words;
    words.what = from_leader::kind::answer;
    words.link = message.link;
    words.code = !refused ? code::ok : moved ? code::session_moved : code::session_expired;
    reply_to(from, std::move(words));
    return;
  }
  server& here = servers[static_cast<std::size_t>(leader)];
  transaction entry;
  entry.zxid = next_zxid();
  if (refused) {
    entry.reply.code = moved ? code::session_moved : code::session_expired;
  } else if (message.message.what == upward::kind::close) {
    entry.changes = here.tree.plan_end_of(message.session);
    for (const change& each : entry.changes) here.tree.apply(each, entry.zxid);
    entry.ends_session = message.session;
    sessions.erase(it);
  } else {
    entry = run(here.tree, message.message.request, message.session, message.identities, entry.zxid);
  }
  entry.answers_link = message.link;
  commit(std::move(entry));
}

void world::commit(transaction&& made) {
  const auto entry = std::make_shared<const transaction>(std::move(made));
  if (servers.size() > 1) {
    log.push_back(entry);
    for (server& s : servers) {
      if (s.number == leader || s.down || !s.serving) continue;
      from_leader words;
      words.what = from_leader::kind::commit;
      words.entry = entry;
      s.down_stream.push_back(std::move(words));
    }
  }
  server& here = servers[static_cast<std::size_t>(leader)];
  here.applied = log.size();
  apply_at(here, entry);
}

void world::reply_to(server& to, from_leader&& message) {
  to.down_stream.push_back(std::move(message));
  if (to.number == leader) follow(to);
}

void world::follow(server& at) {
  const from_leader message = std::move(at.down_stream.front());
  at.down_stream.pop_front();
  at.heard_leader = now;
  link* l = message.link == 0 ? nullptr : find_link(message.link);
  switch (message.what) {
    case from_leader::kind::commit:
      ++at.applied;
      apply_at(at, message.entry);
      break;
    case from_leader::kind::answer:
      if (l != nullptr && l->server_open) {
        client::reply out;
        out.code = message.code;
        answer(at, *l, std::move(out));
      }
      break;
    case from_leader::kind::revalidated:
      if (l == nullptr || !l->client_open) break;
      l->down.emplace_back();
      l->down.back().what = message.code == code::ok ? downward::kind::connected : downward::kind::expired;
      if (message.code != code::ok) l->server_open = false;
      break;
    case from_leader::kind::ping: {
      to_leader words;
      words.touched.assign(at.touched.begin(), at.touched.end());
      at.touched.clear();
      at.up.push_back(std::move(words));
      break;
    }
  }
}

void world::ping_followers() {
  next_leader_ping = now + with.tick / 2;
  for (server& s : servers) {
    if (s.number != leader && s.serving && !s.down) s.down_stream.emplace_back();
  }
}

void world::expire(std::int64_t session) {
  if (!has_quorum() || sessions.erase(session) == 0) return;
  server& here = servers[static_cast<std::size_t>(leader)];
  transaction entry;
  entry.zxid = next_zxid();
  entry.changes = here.tree.plan_end_of(session);
  for (const change& each : entry.changes) here.tree.apply(each, entry.zxid);
  entry.ends_session = session;
  commit(std::move(entry));
}

void world::replace(std::int64_t session) {
  if (!has_quorum() || !sessions.contains(session)) return;
  replaced.insert(session);
  for (const auto& l : links) {
    if (l->session == session) sever(*l, code::connection_loss);  // before it could hear what becomes of its nodes
  }
  expire(session);
}

void world::operator_change(std::vector<change>&& changes) {
  if (changes.empty() || leader < 0) return;
  server& here = servers[static_cast<std::size_t>(leader)];
  transaction entry;
  entry.zxid = next_zxid();
  entry.changes = std::move(changes);
  for (const change& each : entry.changes) here.tree.apply(each, entry.zxid);
  commit(std::move(entry));
}

/// Everybody looks for a leader: connections are reset, and what was under way between servers is gone. What the
/// leader had put into its log stays, for a majority has it.
void world::lose_leader() {
  leader = -1;
  for (server& s : servers) {
    s.serving = false;
    s.up.clear();
    s.down_stream.clear();
    s.touched.clear();
    if (!s.frozen) drop_links_of(s.number);
  }
}

void world::elect() {
  const auto it =
      std::find_if(servers.begin(), servers.end(), [](const server& s) { return !s.down && !s.frozen && !s.cut; });
  leader = it->number;
  zxid = ((zxid >> 32) + 1) << 32;
  for (server& s : servers) {
    if (!s.down && !s.frozen && !s.cut) rejoin(s);
  }
  for (auto& [id, session] : sessions) {
    session.deadline = ((now + session.timeout) / with.tick + 1) * instant(with.tick);
  }
  next_leader_ping = now + with.tick / 2;
}

/// Takes over what it has missed before it serves anybody.
void world::rejoin(server& s) {
  drop_links_of(s.number);
  s.up.clear();
  s.down_stream.clear();
  s.touched.clear();
  s.heard_leader = now;
  s.cut = s.lagging = false;
  if (leader < 0) return;
  for (; s.applied < log.size(); ++s.applied) {
    for (const change& each : log[s.applied]->changes) s.tree.apply(each, log[s.applied]->zxid);
    s.zxid = log[s.applied]->zxid;
  }
  s.serving = true;
}

void world::restart(server& s) {
  s.frozen = false;
  s.down = false;
  if (servers.size() == 1) {
    drop_links_of(s.number);
    s.serving = true;
    leader = s.number;
    for (auto& [id, session] : sessions) {
      session.deadline = ((now + session.timeout) / with.tick + 1) * instant(with.tick);
    }
    return;
  }
  if (s.number == leader) {
    lose_leader();
    return;
  }
  rejoin(s);
}

link* world::find_link(std::uint32_t number) const {
  for (const auto& l : links) {
    if (l->number == number) return l.get();
  }
  return nullptr;
}

std::shared_ptr<handle> world::find_handle(std::uint32_t number) const {
  for (const auto& h : handles) {
    if (h->number == number) return h;
  }
  return nullptr;
}

client_state& world::state_of(int client) {
  for (auto& [number, state] : clients) {
    if (number == client) return state;
  }
  return clients.emplace_back(client, client_state{}).second;
}

const client_state* world::find_state(int client) const {
  for (const auto& [number, state] : clients) {
    if (number == client) return &state;
  }
  return nullptr;
}

const data_tree& world::authoritative() const {
  if (leader >= 0) return servers[static_cast<std::size_t>(leader)].tree;
  const auto it = std::max_element(servers.begin(), servers.end(),
                                   [](const server& a, const server& b) { return a.applied < b.applied; });
  return it->tree;
}

void world::sweep() {
  std::erase_if(links, [](const std::unique_ptr<link>& l) {
    return !l->client_open && (!l->server_open || (l->up.empty() && l->stage.empty()));
  });
}

}  // namespace zklock::testing
