#include "src/testing/leadership.hpp"

#include <utility>

#include "src/testing/client_answers.hpp"
#include "src/testing/client_library.hpp"

namespace zklock::testing {

void leadership::forward(server& from, to_leader&& message) {
  if (from.deposed) {
    answer_deposed(from, message);
    return;
  }
  from.line.up.push_back(std::move(message));
  if (w_.servers.leads(from) && from.line.up.size() == 1 && can_lead(w_, from)) lead(from);
}

void leadership::touch(server& at, std::int64_t session, std::chrono::milliseconds timeout) {
  if (w_.servers.leads(at)) {
    w_.sessions.touch(session, timeout, w_.now);
  } else {
    at.touched[session] = timeout;
  }
}

bool can_lead(const world& w, const server& from) {
  if (from.line.up.empty() || from.line.unheard || !w.servers.attached(from) || w.servers.leader().frozen) return false;
  const to_leader& next = from.line.up.front();
  const bool asks_quorum =
      next.what == to_leader::kind::new_session || (next.what == to_leader::kind::request && !is_sync(next.message));
  return !asks_quorum || w.servers.has_quorum();
}

void leadership::answer_deposed(server& s, const to_leader& message) {
  client_answers answers(w_);
  if (message.what == to_leader::kind::revalidate) {
    answers.revalidated(s, message.session, s.deposed->revalidate(message.session, s.number));
  } else if (link* l = w_.find_link(message.link); l != nullptr && l->stage.size() == 1 && is_sync(message.message)) {
    client::reply out;
    out.code = s.deposed->check(message.session, s.number);
    answers.answer(s, *l, std::move(out));
  }
}

void leadership::lead(server& from) {
  to_leader message = std::move(from.line.up.front());
  from.line.up.pop_front();
  switch (message.what) {
    case to_leader::kind::new_session: new_session(from, message); break;
    case to_leader::kind::revalidate: revalidate(from, message); break;
    case to_leader::kind::ping:
      for (const auto& [session, timeout] : message.touched) w_.sessions.touch(session, timeout, w_.now);
      break;
    case to_leader::kind::request: lead_request(from, std::move(message)); break;
  }
}

void leadership::lead_request(server& from, to_leader&& message) {
  const session_record* known = w_.sessions.find(message.session);
  const code checked = known == nullptr              ? code::session_expired
                       : known->owner == from.number ? code::ok
                                                     : code::session_moved;
  if (is_sync(message.message)) {
    from_leader words;
    words.what = from_leader::kind::answer;
    words.link = message.link;
    words.code = checked;
    reply_to(from, std::move(words));
    return;
  }
  log_entry entry;
  if (checked != code::ok) {
    entry.zxid = w_.log.next_zxid();
    entry.reply.code = checked;
  } else if (message.message.what == upward::kind::close) {
    entry = end_of(message.session);
    w_.sessions.erase(message.session);
  } else {
    entry = run(w_.servers.leader().nodes.nodes(), message.message.request, message.session, message.identities,
                w_.log.next_zxid());
  }
  entry.answers_link = message.link;
  commit(std::move(entry));
}

void leadership::new_session(server& from, const to_leader& message) {
  link* l = w_.find_link(message.link);
  if (l == nullptr) return;
  l->session = w_.sessions.create(message.timeout, from.number, l->client->client, w_.now);
  log_entry entry;
  entry.zxid = w_.log.next_zxid();
  entry.answers_link = message.link;
  entry.answers_connect = true;
  commit(std::move(entry));
}

void leadership::revalidate(server& from, const to_leader& message) {
  if (w_.sessions.is_replaced(message.session)) {
    from.revalidating.erase(message.session);
    new_session(from, message);
    return;
  }
  session_record* known = w_.sessions.find(message.session);
  if (known != nullptr) {
    known->owner = from.number;
    w_.sessions.touch(message.session, message.timeout, w_.now);
    for (const auto& h : w_.handles) {
      if (h->session.id() == message.session) h->session.applied(message.timeout);
    }
  }
  from_leader words;
  words.what = from_leader::kind::revalidated;
  words.session = message.session;
  words.code = known == nullptr ? code::session_expired : code::ok;
  reply_to(from, std::move(words));
}

void leadership::reply_to(server& to, from_leader&& message) {
  to.line.down.push_back(std::move(message));
  if (w_.servers.leads(to)) follow(to);
}

void leadership::follow(server& at) {
  const from_leader message = std::move(at.line.down.front());
  at.line.down.pop_front();
  at.line.heard_leader = w_.now;
  client_answers answers(w_);
  switch (message.what) {
    case from_leader::kind::commit:
      at.nodes.apply(*message.entry);
      answers.applied(at, *message.entry);
      break;
    case from_leader::kind::answer:
      if (link* l = w_.find_link(message.link); l != nullptr && l->server_open) {
        client::reply out;
        out.code = message.code;
        answers.answer(at, *l, std::move(out));
      }
      break;
    case from_leader::kind::revalidated: answers.revalidated(at, message.session, message.code); break;
    case from_leader::kind::ping: {
      to_leader words;
      words.touched = std::exchange(at.touched, {});
      at.line.up.push_back(std::move(words));
      break;
    }
  }
}

void leadership::ping_followers() {
  w_.ping.schedule(w_.now);
  for (server& s : w_.servers) {
    if (!w_.servers.leads(s) && w_.servers.believes_in_leader(s)) s.line.down.emplace_back();
  }
}

void leadership::change_nodes(std::vector<change>&& changes) {
  if (changes.empty() || !w_.servers.has_leader()) return;
  log_entry entry;
  entry.zxid = w_.log.next_zxid();
  entry.changes = std::move(changes);
  for (const change& each : entry.changes) w_.servers.leader().nodes.nodes().apply(each, entry.zxid);
  commit(std::move(entry));
}

void leadership::expire(std::int64_t session) {
  if (!w_.servers.has_quorum() || !w_.sessions.erase(session)) return;
  commit(end_of(session));
}

void leadership::replace(std::int64_t session) {
  if (!w_.servers.has_quorum() || !w_.sessions.contains(session)) return;
  w_.sessions.replace(session);
  for (const auto& l : w_.links) {
    // before the client could hear what becomes of its nodes
    if (l->session == session) client_library(w_).sever(*l, code::connection_loss);
  }
  expire(session);
}

log_entry leadership::end_of(std::int64_t session) {
  data_tree& nodes = w_.servers.leader().nodes.nodes();
  log_entry entry;
  entry.zxid = w_.log.next_zxid();
  entry.changes = nodes.plan_end_of(session);
  for (const change& each : entry.changes) nodes.apply(each, entry.zxid);
  entry.ends_session = session;
  return entry;
}

void leadership::commit(log_entry&& made) {
  const auto entry = std::make_shared<const log_entry>(std::move(made));
  if (w_.servers.size() > 1) {
    w_.log.append(entry);
    for (server& s : w_.servers) {
      if (w_.servers.leads(s) || !w_.servers.believes_in_leader(s)) continue;
      from_leader words;
      words.what = from_leader::kind::commit;
      words.entry = entry;
      s.line.down.push_back(std::move(words));
    }
  }
  server& here = w_.servers.leader();
  here.nodes.made(*entry, w_.log.size());
  client_answers(w_).applied(here, *entry);
}

}  // namespace zklock::testing
