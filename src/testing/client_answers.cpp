#include "src/testing/client_answers.hpp"

#include <utility>

namespace zklock::testing {

namespace request = client::request;

namespace {

/// Of a multi that the leader refuses each part has a code: the first one the cause, the others that they were not at fault.
void add_parts(const client::any_request& asked, client::reply& refusal) {
  const auto* const multi = std::get_if<request::multi>(&asked);
  const recipes::outcome said = recipes::classify(refusal.code);
  if (multi != nullptr && (said == recipes::outcome::not_done || said == recipes::outcome::session_over)) {
    refusal.parts.resize(multi->operations.size());
    for (client::part_result& part : refusal.parts) part.code = client::code::runtime_inconsistency;
    if (!refusal.parts.empty()) refusal.parts.front().code = refusal.code;
  }
}

}  // namespace

void client_answers::applied(server& s, const log_entry& entry) {
  for (const change& each : entry.changes) fire_watches(s, each);
  if (link* l = w_.find_link(entry.answers_link); l != nullptr && l->server == s.number && l->server_open) {
    if (entry.answers_connect) {
      l->send_down(downward(downward::kind::connected));
    } else {
      answer(s, *l, client::reply(entry.reply));
    }
  }
  if (entry.ends_session == 0) return;
  for (const auto& each : w_.links) {
    if (each->server == s.number && each->session == entry.ends_session && each->server_open) each->hang_up();
  }
}

void client_answers::fire_watches(const server& s, const change& what) {
  for (const auto& l : w_.links) {
    if (l->server != s.number || !l->server_open) continue;
    const server_watches::fired fired = l->watches.fire(what);
    if (fired.node) l->send_event(what.path, *fired.node);
    if (fired.parent) l->send_event(parent_of(what.path), client::node_event::children_changed);
  }
}

void client_answers::answer(server& s, link& l, client::reply&& reply) {
  if (l.stage.empty()) return;
  if (reply.code == code::session_moved) {  // servers of 3.8 do not say so, but end the connection
    l.hang_up();
    return;
  }
  if (l.stage.front().answer) {
    reply = {};
    reply.code = *l.stage.front().answer;
    add_parts(l.stage.front().message.request, reply);
  }
  const upward asked = std::move(l.stage.front().message);
  l.stage.pop_front();
  const bool closing = asked.what == upward::kind::close;
  if (l.client_open && l.server_open && (closing || !l.client->closing)) {
    downward message(closing ? downward::kind::closed : downward::kind::reply, s.nodes.zxid());
    message.id = asked.id;
    message.reply = std::move(reply);
    l.down.push_back(std::move(message));
  }
  advance(s, l);
}

void client_answers::revalidated(server& s, std::int64_t session, client::code answer) {
  const auto waiting = s.revalidating.find(session);
  if (waiting == s.revalidating.end()) return;
  link* l = w_.find_link(waiting->second);
  s.revalidating.erase(waiting);
  if (l == nullptr || !l->client_open) return;
  const bool valid = answer == code::ok;
  l->send_down(downward(valid ? downward::kind::connected : downward::kind::expired));
  if (!valid) l->server_open = false;
}

void client_answers::advance(server& s, link& l) {
  while (!l.stage.empty() && !l.stage.front().forwarded) {
    const staged next = std::move(l.stage.front());
    l.stage.pop_front();
    read(s, l, next);
  }
}

void client_answers::read(server& s, link& l, const staged& entry) {
  const data_tree& nodes = s.nodes.nodes();
  const client::any_request& what = entry.message.request;
  client::reply out;
  if (entry.answer) {
    out.code = *entry.answer;
  } else if (const auto* list = std::get_if<request::list>(&what)) {
    out.code = nodes.read(*list, l.identities, out);
    if (list->watch != client::no_watch && out.code == code::ok) l.watches.watch_children(list->path);
  } else if (const auto* get = std::get_if<request::get>(&what)) {
    out.code = nodes.read(*get, l.identities, out);
    if (get->watch != client::no_watch && out.code == code::ok) l.watches.watch_data(get->path);
  } else if (const auto* exists = std::get_if<request::exists>(&what)) {
    out.code = nodes.read(*exists, out);
    if (exists->watch != client::no_watch) l.watches.watch_data(exists->path);
  } else if (const auto* access = std::get_if<request::get_acl>(&what)) {
    out.code = nodes.read(*access, l.identities, out);
  }
  if (!l.client_open || l.client->closing) return;
  downward reply(downward::kind::reply, s.nodes.zxid());
  reply.id = entry.message.id;
  reply.reply = std::move(out);
  l.down.push_back(std::move(reply));
}

}  // namespace zklock::testing
