// One server and its connections: sessions' requests in order, reads from its own nodes, one-shot watches.
#include <algorithm>
#include <utility>

#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;

constexpr std::size_t packet_max = 0xfffff;  // jute.maxbuffer

std::size_t size_of(const client::any_request& what) {
  const auto size = [](const auto& r) -> std::size_t {
    if constexpr (requires { r.data; }) {
      return 16 + r.path.size() + r.data.size() + 31;
    } else if constexpr (requires { r.path; }) {
      return 16 + r.path.size();
    } else {
      return 8;
    }
  };
  std::size_t sum = std::visit(size, what);
  if (const auto* multi = std::get_if<request::multi>(&what)) {
    for (const request::operation& part : multi->operations) sum += 9 + std::visit(size, part);
  }
  return sum;
}

downward message_of(downward::kind what, std::int64_t zxid = 0) {
  downward out;
  out.what = what;
  out.zxid = zxid;
  return out;
}

}  // namespace

bool world::can_serve(const link& l) const {
  const server& s = servers[static_cast<std::size_t>(l.server)];
  if (!l.server_open || l.up.empty() || s.down || s.frozen || !s.serving) return false;
  const client_state* state = find_state(l.client->client);
  return state == nullptr || !state->up_held;
}

void world::serve(link& l) {
  server& s = servers[static_cast<std::size_t>(l.server)];
  upward message = std::move(l.up.front());
  l.up.pop_front();
  if (message.what != upward::kind::connect && l.session != 0) touch(s, l.session, l.timeout);
  switch (message.what) {
    case upward::kind::connect: serve_connect(s, l); break;
    case upward::kind::auth: {
      const client::parameters& with_auth = l.client->with;
      if (with_auth.auth_scheme == "digest") {
        l.identities.push_back({with_auth.auth_scheme, with_auth.auth_credentials});
      } else if (l.client_open) {
        l.down.push_back(message_of(downward::kind::auth_failed));
      }
      break;
    }
    case upward::kind::set_watches: serve_watches(s, l, *message.watches); break;
    case upward::kind::ping:
      if (l.client_open && !l.client->closing) l.down.push_back(message_of(downward::kind::pong, s.zxid));
      break;
    case upward::kind::close:
    case upward::kind::request: serve_request(s, l, std::move(message)); break;
  }
}

void world::serve_connect(server& s, link& l) {
  if (l.client->seen > s.zxid) {  // the client has seen more than this server
    hang_up(l);
    return;
  }
  to_leader words;
  words.link = l.number;
  words.session = l.client->session;
  words.timeout = l.timeout = std::clamp(l.client->timeout, with.session_timeout_min, with.session_timeout_max);
  if (words.session == 0) {
    words.what = to_leader::kind::new_session;
  } else {
    for (const auto& other : links) {
      if (other->server == l.server && other->session == words.session) sever(*other, code::connection_loss);
    }
    l.session = words.session;
    s.revalidating[words.session] = l.number;
    words.what = to_leader::kind::revalidate;
  }
  forward(s, std::move(words));
}

/// Answers the newest connection of the session, whichever was asked for.
void world::revalidated(server& s, const from_leader& message) {
  const auto waiting = s.revalidating.find(message.session);
  if (waiting == s.revalidating.end()) return;
  link* l = find_link(waiting->second);
  s.revalidating.erase(waiting);
  if (l == nullptr || !l->client_open) return;
  const bool valid = message.code == code::ok;
  l->down.push_back(message_of(valid ? downward::kind::connected : downward::kind::expired));
  if (!valid) l->server_open = false;
}

void world::serve_request(server& s, link& l, upward&& message) {
  client_state& faults = state_of(l.client->client);
  if (message.what == upward::kind::request) {
    if (std::exchange(faults.lose_next_request, false)) {
      sever(l, code::connection_loss);
      return;
    }
    if (size_of(message.request) > packet_max) {
      hang_up(l);
      return;
    }
  }
  const bool lose_reply = message.what == upward::kind::request && std::exchange(faults.lose_next_reply, false);
  std::optional<client_state::dictated> dictated;
  if (message.what == upward::kind::request) dictated = std::exchange(faults.next_answer, std::nullopt);
  const bool ordered = (message.what == upward::kind::close || is_write(message.request) ||
                        std::holds_alternative<request::sync>(message.request)) &&
                       (!dictated || dictated->applied);
  staged entry;
  if (dictated) entry.answer = dictated->code;
  entry.message = std::move(message);
  entry.forwarded = ordered;
  if (ordered) {
    to_leader words;
    words.what = to_leader::kind::request;
    words.link = l.number;
    words.session = l.session;
    words.identities = l.identities;
    words.message.what = entry.message.what;
    words.message.id = entry.message.id;
    words.message.request = std::move(entry.message.request);
    l.stage.push_back(std::move(entry));
    forward(s, std::move(words));
  } else {
    l.stage.push_back(std::move(entry));
    advance_stage(s, l);
  }
  if (lose_reply) sever(l, code::connection_loss);
}

/// Reads that have no write of their session in front of them.
void world::advance_stage(server& s, link& l) {
  while (!l.stage.empty() && !l.stage.front().forwarded) {
    const staged next = std::move(l.stage.front());
    l.stage.pop_front();
    serve_read(s, l, next);
  }
}

void world::serve_read(server& s, link& l, const staged& entry) {
  const upward& message = entry.message;
  client::reply out;
  if (entry.answer) {
    out.code = *entry.answer;
  } else if (const auto* list = std::get_if<request::list>(&message.request)) {
    out.code = s.tree.read(*list, l.identities, out);
    if (list->watch != client::no_watch && out.code == code::ok) l.child_watches.insert(list->path);
  } else if (const auto* get = std::get_if<request::get>(&message.request)) {
    out.code = s.tree.read(*get, l.identities, out);
    if (get->watch != client::no_watch && out.code == code::ok) l.data_watches.insert(get->path);
  } else if (const auto* exists = std::get_if<request::exists>(&message.request)) {
    out.code = s.tree.read(*exists, out);
    if (exists->watch != client::no_watch) l.data_watches.insert(exists->path);
  }
  if (!l.client_open || l.client->closing) return;
  downward reply = message_of(downward::kind::reply, s.zxid);
  reply.id = message.id;
  reply.reply = std::move(out);
  l.down.push_back(std::move(reply));
}

/// What a reconnected client missed is told at once; the rest is watched again.
void world::serve_watches(server& s, link& l, const upward::watch_lists& lists) {
  const std::uint32_t group = ++last_group;
  for (const std::string& path : lists.data) {
    const tree_node* node = s.tree.find(path);
    if (node == nullptr) {
      notify(l, path, client::node_event::deleted, group);
    } else if (node->stat.mzxid > lists.seen) {
      notify(l, path, client::node_event::changed, group);
    } else {
      l.data_watches.insert(path);
    }
  }
  for (const std::string& path : lists.exist) {
    if (s.tree.find(path) != nullptr) {
      notify(l, path, client::node_event::created, group);
    } else {
      l.data_watches.insert(path);
    }
  }
  for (const std::string& path : lists.child) {
    const tree_node* node = s.tree.find(path);
    if (node == nullptr) {
      notify(l, path, client::node_event::deleted, group);
    } else if (node->stat.pzxid > lists.seen) {
      notify(l, path, client::node_event::children_changed, group);
    } else {
      l.child_watches.insert(path);
    }
  }
}

void world::notify(link& l, std::string_view path, client::node_event event, std::uint32_t group) {
  if (!l.client_open || !l.server_open || l.client->closing) return;
  downward message = message_of(downward::kind::event);
  message.path = path;
  message.event = event;
  message.group = group;
  l.down.push_back(std::move(message));
}

void world::trigger(server& s, const change& what) {
  const auto fire = [](auto& table, std::string_view path) {
    const auto it = table.find(path);
    if (it == table.end()) return false;
    table.erase(it);
    return true;
  };
  const std::string_view parent = parent_of(what.path);
  for (const auto& each : links) {
    link& l = *each;
    if (l.server != s.number || !l.server_open) continue;
    if (what.what == change::kind::set) {
      if (fire(l.data_watches, what.path)) notify(l, what.path, client::node_event::changed);
      continue;
    }
    const bool created = what.what == change::kind::create;
    bool own = fire(l.data_watches, what.path);
    if (!created && fire(l.child_watches, what.path)) own = true;  // told once
    if (own) notify(l, what.path, created ? client::node_event::created : client::node_event::deleted);
    if (fire(l.child_watches, parent)) notify(l, parent, client::node_event::children_changed);
  }
}

/// The entry was applied to the leader's nodes when it was made; everybody else applies it here.
void world::apply_at(server& s, const std::shared_ptr<const transaction>& entry) {
  const bool is_leader = s.number == leader;
  for (const change& each : entry->changes) {
    if (!is_leader) s.tree.apply(each, entry->zxid);
    trigger(s, each);
  }
  s.zxid = entry->zxid;
  if (link* l = find_link(entry->answers_link); l != nullptr && l->server == s.number && l->server_open) {
    if (entry->answers_connect) {
      if (l->client_open) l->down.push_back(message_of(downward::kind::connected));
    } else {
      answer(s, *l, client::reply(entry->reply));
    }
  }
  if (entry->ends_session == 0) return;
  for (const auto& each : links) {
    if (each->server == s.number && each->session == entry->ends_session && each->server_open) hang_up(*each);
  }
}

void world::answer(server& s, link& l, client::reply&& reply) {
  if (l.stage.empty()) return;
  if (reply.code == code::session_moved) {  // servers of 3.8 do not say so, but end the connection
    hang_up(l);
    return;
  }
  if (l.stage.front().answer) {
    reply = {};
    reply.code = *l.stage.front().answer;
  }
  const upward asked = std::move(l.stage.front().message);
  l.stage.pop_front();
  const bool closing = asked.what == upward::kind::close;
  if (l.client_open && l.server_open && (closing || !l.client->closing)) {
    downward message = message_of(closing ? downward::kind::closed : downward::kind::reply, s.zxid);
    message.id = asked.id;
    message.reply = std::move(reply);
    l.down.push_back(std::move(message));
  }
  advance_stage(s, l);
}

void world::hang_up(link& l) {
  l.server_open = false;
  l.up.clear();
  l.stage.clear();
  l.data_watches.clear();
  l.child_watches.clear();
  if (l.client_open) l.down.push_back(message_of(downward::kind::hangup));
}

void world::drop_links_of(int server_number) {
  for (const auto& each : links) {
    if (each->server == server_number) sever(*each, code::connection_loss);
  }
}

}  // namespace zklock::testing
