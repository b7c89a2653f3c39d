// The C client's ways: what its handle does when it is asked, told, cut off and left in silence.
#include <algorithm>
#include <utility>

#include "src/zookeeper/request_check.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::connection_state;
using watch_kind = client::connection::watch_kind;

handle::asked remember(client::request_id id, const client::any_request& what) {
  handle::asked out;
  out.id = id;
  const auto note = [&](const auto& r, watch_kind kind) {
    if (r.watch == client::no_watch) return;
    out.watch_path = r.path;
    out.watch = r.watch;
    out.watch_kind = kind;
  };
  if (const auto* list = std::get_if<request::list>(&what)) note(*list, watch_kind::children);
  if (const auto* get = std::get_if<request::get>(&what)) note(*get, watch_kind::data);
  if (const auto* exists = std::get_if<request::exists>(&what)) note(*exists, watch_kind::exists);
  return out;
}

void take_out(handle::watch_table& table, std::string_view path, client::watch_id id) {
  const auto it = table.find(path);
  if (it == table.end()) return;
  std::erase(it->second, id);
  if (it->second.empty()) table.erase(it);
}

void collect(handle::watch_table& table, const std::string& path, std::vector<client::watch_id>& out) {
  const auto it = table.find(path);
  if (it == table.end()) return;
  for (const client::watch_id id : it->second) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  }
  table.erase(it);
}

downward local(downward::kind what) {
  downward out;
  out.what = what;
  return out;
}

}  // namespace

std::shared_ptr<handle> world::open(int client, int first_server, bool stays, const client::parameters& parameters,
                                    client::observer& to) {
  auto h = std::make_shared<handle>();
  h->number = ++last_number;
  h->client = client;
  h->home = this;
  h->observer = &to;
  h->with = parameters;
  h->timeout = parameters.timeout;
  h->next_server = first_server;
  h->stays = stays;
  h->retry_at = now;
  handles.push_back(h);
  static_cast<void>(state_of(client));
  return h;
}

void world::submit(handle& h, client::request_id id, client::any_request&& what) {
  if (h.closing || h.state == handle_state::closed) return;
  const bool dead = h.state == handle_state::expired || h.state == handle_state::auth_failed;
  if (dead || !client::may_be_sent(what)) {
    client::reply refusal;
    refusal.code = dead ? code::invalid_state : code::bad_arguments;
    h.observer->on_reply(id, std::move(refusal));
    return;
  }
  handle::asked entry = remember(id, what);
  if (h.state == handle_state::connected && h.at != nullptr) {
    send(h, std::move(entry), std::move(what));
  } else {
    h.queued.emplace_back(std::move(entry), std::move(what));
  }
}

void world::send(handle& h, handle::asked&& entry, client::any_request&& what) {
  ++state_of(h.client).counts.by_kind[what.index()];
  upward message;
  message.what = upward::kind::request;
  message.id = entry.id;
  message.request = std::move(what);
  h.at->up.push_back(std::move(message));
  h.pending.push_back(std::move(entry));
  h.last_sent = now;
}

void world::forget(handle& h, std::string_view path, client::watch_id id, watch_kind kind) {
  if (kind == watch_kind::children) {
    take_out(h.child_watches, path, id);
  } else {
    take_out(h.data_watches, path, id);
    take_out(h.exist_watches, path, id);
  }
  for (handle::asked& entry : h.pending) {
    if (entry.watch == id) entry.watch = client::no_watch;
  }
  for (auto& [entry, what] : h.queued) {
    if (entry.watch == id) entry.watch = client::no_watch;
  }
}

void world::close(handle& h) {
  if (h.closing || h.state == handle_state::closed) return;
  h.closing = true;
  h.close_by = now + std::chrono::milliseconds(1500);
  h.inbox.clear();
  h.queued.clear();
  h.data_watches.clear();
  h.exist_watches.clear();
  h.child_watches.clear();
  if (h.state == handle_state::connected && h.at != nullptr) {
    upward message;
    message.what = upward::kind::close;
    h.at->up.push_back(std::move(message));
    // nothing but the answer to this is told from here on
    std::erase_if(h.at->down, [](const downward& m) { return m.what != downward::kind::hangup; });
    return;
  }
  if (h.at != nullptr) sever(*h.at, code::connection_loss);
  if (h.inbox.empty()) end_closing(h, false);
}

void world::end_closing(handle& h, bool confirmed) {
  h.inbox.clear();
  h.inbox.push_back(local(downward::kind::closed));
  h.inbox.back().confirmed = confirmed;
}

void world::connect(handle& h) {
  const int number = h.next_server;
  server& s = servers[static_cast<std::size_t>(number)];
  h.last_heard = now;
  if (state_of(h.client).refused || s.down || (!s.serving && !s.frozen)) {
    lose(h, code::connection_loss);
    return;
  }
  auto opened = std::make_unique<link>();
  opened->number = ++last_number;
  opened->server = number;
  opened->client = find_handle(h.number);
  upward hello;
  hello.what = upward::kind::connect;
  opened->up.push_back(std::move(hello));
  h.at = opened.get();
  links.push_back(std::move(opened));
  // a server that listens reads it in the same step: nothing can come in between that another schedule does not show
  if (!s.frozen && !state_of(h.client).up_held) serve(*h.at);
}

void world::ping(handle& h) {
  ++state_of(h.client).counts.pings;
  upward message;
  message.what = upward::kind::ping;
  h.at->up.push_back(std::move(message));
  h.last_sent = now;
}

void world::time_out(handle& h) {
  if (h.closing) {
    link* l = h.at;
    h.at = nullptr;
    if (l != nullptr) {
      l->client_open = false;
      l->down.clear();
    }
    end_closing(h, false);
    return;
  }
  lose(h, code::operation_timeout);
}

void world::lose(handle& h, client::code why) {
  if (link* l = h.at; l != nullptr) {
    l->client_open = false;
    l->down.clear();
    // what was written may still arrive, long after: a new connection does not take it back
    std::erase_if(l->up,
                  [](const upward& m) { return m.what != upward::kind::request && m.what != upward::kind::close; });
    h.at = nullptr;
  }
  if (h.closing) {
    if (h.inbox.empty()) end_closing(h, false);
    return;
  }
  if (h.state == handle_state::connected) {
    h.state = handle_state::connecting;
    h.inbox.push_back(local(downward::kind::lost));
    h.failures = 0;
  } else {
    ++h.failures;
  }
  fail_pending(h, why);
  const auto count = static_cast<int>(servers.size());
  if (!h.stays) h.next_server = (h.next_server + 1) % count;
  h.retry_at = h.failures >= (h.stays ? 1 : count) ? now + h.timeout / 60 : now;
}

void world::fail_pending(handle& h, client::code why) {
  const auto fail = [&](client::request_id id) {
    h.inbox.push_back(local(downward::kind::reply));
    h.inbox.back().id = id;
    h.inbox.back().reply.code = why;
  };
  for (const handle::asked& entry : h.pending) fail(entry.id);
  for (const auto& [entry, what] : h.queued) fail(entry.id);
  h.pending.clear();
  h.queued.clear();
}

void world::sever(link& l, client::code why) {
  l.server_open = false;
  l.up.clear();
  if (l.client_open && l.client->at == &l) {
    lose(*l.client, why);
  }
  l.client_open = false;
}

void world::deliver_inbox(const std::shared_ptr<handle>& h) {
  downward message = std::move(h->inbox.front());
  h->inbox.pop_front();
  switch (message.what) {
    case downward::kind::lost: tell_session(h, connection_state::connecting); break;
    case downward::kind::expired: tell_session(h, connection_state::expired); break;
    case downward::kind::auth_failed: tell_session(h, connection_state::auth_failed); break;
    case downward::kind::closed:
      h->state = handle_state::closed;
      forget_handle(*h);
      h->observer->on_closed(message.confirmed);
      break;
    default: h->observer->on_reply(message.id, std::move(message.reply)); break;
  }
}

void world::tell_session(const std::shared_ptr<handle>& h, connection_state state) {
  client::session_event event;
  event.state = state;
  if (state == connection_state::connected) {
    event.session_id = h->session;
    event.timeout = h->timeout;
  }
  h->observer->on_session_event(event);
}

void world::deliver(link& l, std::size_t position) {
  const std::shared_ptr<handle> h = l.client;
  downward message = std::move(l.down[position]);
  l.down.erase(l.down.begin() + static_cast<std::ptrdiff_t>(position));
  h->last_heard = now;
  h->seen = std::max(h->seen, message.zxid);
  switch (message.what) {
    case downward::kind::connected:
      if (std::exchange(h->session, l.session) != l.session) h->least_told = h->least_applied = l.timeout;
      h->least_told = std::min(h->least_told, l.timeout);
      accept(h, l);
      break;
    case downward::kind::expired:
    case downward::kind::auth_failed: {
      const bool expired = message.what == downward::kind::expired;
      h->state = expired ? handle_state::expired : handle_state::auth_failed;
      l.client_open = l.server_open = false;
      h->at = nullptr;
      fail_pending(*h, expired ? code::session_expired : code::auth_failed);
      tell_session(h, expired ? connection_state::expired : connection_state::auth_failed);
      break;
    }
    case downward::kind::event: dispatch(h, message.path, message.event); break;
    case downward::kind::reply: answered(h, std::move(message)); break;
    case downward::kind::hangup: lose(*h, code::connection_loss); break;
    case downward::kind::closed:
      h->at = nullptr;
      h->state = handle_state::closed;
      l.client_open = l.server_open = false;
      forget_handle(*h);
      h->observer->on_closed(true);
      break;
    case downward::kind::pong:
    case downward::kind::lost: break;
  }
}

void world::accept(const std::shared_ptr<handle>& h, link& l) {
  h->state = handle_state::connected;
  h->failures = 0;
  h->timeout = l.timeout;
  h->last_sent = now;
  if (!h->with.auth_scheme.empty()) {
    upward auth;
    auth.what = upward::kind::auth;
    l.up.push_back(std::move(auth));
  }
  if (!h->data_watches.empty() || !h->exist_watches.empty() || !h->child_watches.empty()) {
    upward again;
    again.what = upward::kind::set_watches;
    again.watches = std::make_unique<upward::watch_lists>();
    again.watches->seen = h->seen;
    for (const auto& [path, ids] : h->data_watches) again.watches->data.push_back(path);
    for (const auto& [path, ids] : h->exist_watches) again.watches->exist.push_back(path);
    for (const auto& [path, ids] : h->child_watches) again.watches->child.push_back(path);
    l.up.push_back(std::move(again));
  }
  while (!h->queued.empty()) {
    auto [entry, what] = std::move(h->queued.front());
    h->queued.pop_front();
    send(*h, std::move(entry), std::move(what));
  }
  tell_session(h, connection_state::connected);
}

void world::dispatch(const std::shared_ptr<handle>& h, const std::string& path, client::node_event event) {
  std::vector<client::watch_id> told;
  if (event != client::node_event::children_changed) {
    collect(h->data_watches, path, told);
    collect(h->exist_watches, path, told);
  }
  if (event == client::node_event::children_changed || event == client::node_event::deleted) {
    collect(h->child_watches, path, told);
  }
  for (const client::watch_id id : told) {
    if (!h->closing && h->home != nullptr) h->observer->on_node_event(id, event);
  }
}

void world::answered(const std::shared_ptr<handle>& h, downward&& message) {
  const handle::asked entry = std::move(h->pending.front());
  h->pending.pop_front();
  const bool set =
      message.reply.code == code::ok || (message.reply.code == code::no_node && entry.watch_kind == watch_kind::exists);
  if (entry.watch != client::no_watch && set) {
    handle::watch_table& table = entry.watch_kind == watch_kind::children ? h->child_watches
                                 : message.reply.code == code::no_node    ? h->exist_watches
                                                                          : h->data_watches;
    std::vector<client::watch_id>& ids = table[entry.watch_path];
    if (std::find(ids.begin(), ids.end(), entry.watch) == ids.end()) ids.push_back(entry.watch);
  }
  h->observer->on_reply(message.id, std::move(message.reply));
}

}  // namespace zklock::testing
