// Sessions and their clocks, as the leader keeps them.
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {

/// A follower keeps it until the leader asks.
void world::touch(server& at, std::int64_t session, std::chrono::milliseconds timeout) {
  if (at.number != leader) {
    at.touched[session] = timeout;
    return;
  }
  if (const auto it = sessions.find(session); it != sessions.end()) move_expiry(it->second, timeout);
}

/// To the next of the instants, a tick apart, at which the leader looks. A touch with a smaller timeout can move it earlier, as in servers of 3.5 and later.
void world::move_expiry(session_record& session, std::chrono::milliseconds timeout) const {
  const instant tick = with.tick;
  session.deadline = ((now + with.expiry_phase + timeout) / tick + 1) * tick - with.expiry_phase;
}

/// A new leader, or a server that starts again, knows the timeouts of the sessions' creation alone.
void world::start_clocks_afresh() {
  for (auto& [id, session] : sessions) move_expiry(session, session.timeout);
}

void world::new_session(server& from, const to_leader& message) {
  link* l = find_link(message.link);
  if (l == nullptr) return;
  const std::int64_t id = ++last_session;
  l->session = id;
  session_record& made = sessions[id] = {message.timeout, instant{0}, from.number, l->client->client};
  move_expiry(made, message.timeout);
  transaction entry;
  entry.zxid = next_zxid();
  entry.answers_link = message.link;
  entry.answers_connect = true;
  commit(std::move(entry));
}

void world::revalidate(server& from, const to_leader& message) {
  if (replaced.contains(message.session)) {
    from.revalidating.erase(message.session);
    new_session(from, message);
    return;
  }
  const auto it = sessions.find(message.session);
  from_leader words;
  words.what = from_leader::kind::revalidated;
  words.session = message.session;
  words.code = it == sessions.end() ? code::session_expired : code::ok;
  if (it != sessions.end()) {
    it->second.owner = from.number;
    move_expiry(it->second, message.timeout);
    for (const auto& h : handles) {
      if (h->session == message.session) h->least_applied = std::min(h->least_applied, message.timeout);
    }
  }
  reply_to(from, std::move(words));
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

}  // namespace zklock::testing
