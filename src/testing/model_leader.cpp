// The log, and what passes between the leader and its followers.
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

bool is_sync(const upward& message) {
  return message.what == upward::kind::request && std::holds_alternative<client::request::sync>(message.request);
}

}  // namespace

void world::forward(server& s, to_leader&& message) {
  if (s.deposed) {
    answer_deposed(s, message);
    return;
  }
  s.up.push_back(std::move(message));
  if (s.number == leader && s.up.size() == 1 && can_lead(s)) lead(s);  // the leader's own connections need no way to it
}

/// Pings, revalidations and syncs ask no quorum.
bool world::can_lead(const server& from) const {
  if (from.up.empty() || from.unheard || !attached(from) || servers[static_cast<std::size_t>(leader)].frozen)
    return false;
  const to_leader& next = from.up.front();
  const bool asks_quorum =
      next.what == to_leader::kind::new_session || (next.what == to_leader::kind::request && !is_sync(next.message));
  return !asks_quorum || has_quorum();
}

/// What it has no quorum for waits, and what is behind that on the same connection.
void world::answer_deposed(server& s, const to_leader& message) {
  const auto known = s.owners.find(message.session);
  from_leader words;
  words.link = message.link;
  words.session = message.session;
  if (message.what == to_leader::kind::revalidate) {
    words.code = known == s.owners.end() ? code::session_expired : code::ok;
    if (known != s.owners.end()) known->second = s.number;
    revalidated(s, words);
  } else if (link* l = find_link(message.link); l != nullptr && l->stage.size() == 1 && is_sync(message.message)) {
    const bool moved = known != s.owners.end() && known->second != s.number;
    client::reply out;
    out.code = known == s.owners.end() ? code::session_expired : moved ? code::session_moved : code::ok;
    answer(s, *l, std::move(out));
  }
}

void world::lead(server& from) {
  to_leader message = std::move(from.up.front());
  from.up.pop_front();
  switch (message.what) {
    case to_leader::kind::new_session: new_session(from, message); break;
    case to_leader::kind::revalidate: revalidate(from, message); break;
    case to_leader::kind::ping:
      for (const auto& [session, timeout] : message.touched) {
        touch(servers[static_cast<std::size_t>(leader)], session, timeout);
      }
      break;
    case to_leader::kind::request: lead_request(from, std::move(message)); break;
  }
}

void world::lead_request(server& from, to_leader&& message) {
  const auto it = sessions.find(message.session);
  const bool moved = it != sessions.end() && it->second.owner != from.number;
  const bool refused = it == sessions.end() || moved;
  if (is_sync(message.message)) {
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
      if (s.number == leader || !believes_in_leader(s)) continue;
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
    case from_leader::kind::revalidated: revalidated(at, message); break;
    case from_leader::kind::ping: {
      to_leader words;
      words.touched = std::exchange(at.touched, {});
      at.up.push_back(std::move(words));
      break;
    }
  }
}

void world::ping_followers() {
  next_leader_ping = now + with.tick / 2;
  ping_is_late = false;
  for (server& s : servers) {
    if (s.number != leader && believes_in_leader(s)) s.down_stream.emplace_back();
  }
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

}  // namespace zklock::testing
