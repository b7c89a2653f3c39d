#include "src/testing/client_library.hpp"

#include <utility>

#include "src/port/request_check.hpp"

namespace zklock::testing {

using client::connection_state;

namespace {

/// ok: it is sent, or kept for the next connection.
client::code code_of_refusal(const handle& h, const client::any_request& what) {
  if (h.state == handle_state::expired || h.state == handle_state::auth_failed) return code::invalid_state;
  if (const code instead = client::answer_instead_of_sending(what); instead != code::ok) return instead;
  const bool between_connections = h.state != handle_state::connected && h.session.id() != 0;
  const bool is_multi = std::holds_alternative<client::request::multi>(what);
  return between_connections && is_multi ? code::system_error : code::ok;  // F180
}

}  // namespace

std::shared_ptr<handle> client_library::open(int client, int first_server, bool only,
                                             const client::parameters& parameters, client::observer& to) {
  auto h = std::make_shared<handle>(parameters, to, server_choice(first_server, only, w_.now));
  h->number = ++w_.last_number;
  h->client = client;
  h->home = &w_;
  w_.handles.push_back(h);
  static_cast<void>(w_.state_of(client));
  return h;
}

void client_library::submit(handle& h, client::request_id id, client::any_request&& what) {
  if (h.closing || h.state == handle_state::closed) return;
  client::reply refusal;
  refusal.code = code_of_refusal(h, what);
  if (refusal.code != code::ok) {
    h.observer->on_reply(id, refusal);
    return;
  }
  asked_request entry = remember(id, what);
  if (h.state == handle_state::connected && h.at != nullptr) {
    send(h, std::move(entry), std::move(what));
  } else {
    h.requests.add_queued(std::move(entry), std::move(what));
  }
}

void client_library::send(handle& h, asked_request&& entry, client::any_request&& what) {
  ++w_.state_of(h.client).counts.by_kind[what.index()];
  upward message(upward::kind::request);
  message.id = entry.id;
  message.request = std::move(what);
  h.at->up.push_back(std::move(message));
  h.requests.add_sent(std::move(entry));
  h.clock.sent(w_.now);
}

void client_library::forget(handle& h, std::string_view path, client::watch_id id, client_watches::kind kind) {
  h.watches.forget(kind, path, id);
  h.requests.forget(id);
}

void client_library::close(handle& h) {
  if (h.closing || h.state == handle_state::closed) return;
  h.closing = true;
  h.clock.close_begun(w_.now);
  h.inbox.clear();
  h.requests.drop_queued();
  h.watches.clear();
  if (h.state == handle_state::connected && h.at != nullptr) {
    h.at->up.emplace_back(upward::kind::close);
    // nothing but the answer to this is delivered from here on
    std::erase_if(h.at->down, [](const downward& m) { return m.what != downward::kind::hangup; });
    return;
  }
  if (h.at != nullptr) sever(*h.at, code::connection_loss);
  if (h.inbox.empty()) end_closing(h, false);
}

void client_library::end_closing(handle& h, bool confirmed) {
  h.inbox.clear();
  h.inbox.emplace_back(downward::kind::closed);
  h.inbox.back().confirmed = confirmed;
}

link* client_library::connect(handle& h) {
  const server& s = w_.servers[h.servers.next()];
  h.clock.heard(w_.now);
  if (w_.state_of(h.client).refused || s.down || (!s.serving && !s.frozen)) {
    w_.state_of(h.client).attempt_closed = false;
    lose(h, code::connection_loss);
    return nullptr;
  }
  auto opened = std::make_unique<link>();
  opened->number = ++w_.last_number;
  opened->server = s.number;
  opened->client = w_.find_handle(h.number);
  opened->up.emplace_back(upward::kind::connect);
  h.at = opened.get();
  w_.links.push_back(std::move(opened));
  return h.at;
}

void client_library::ping(handle& h) {
  ++w_.state_of(h.client).counts.pings;
  h.at->up.emplace_back(upward::kind::ping);
  h.clock.sent(w_.now);
}

void client_library::time_out(handle& h) {
  if (!h.closing) {
    w_.state_of(h.client).attempt_closed = false;
    lose(h, code::operation_timeout);
    return;
  }
  if (link* l = std::exchange(h.at, nullptr); l != nullptr) {
    l->client_open = false;
    l->down.clear();
  }
  end_closing(h, false);
}

void client_library::lose(handle& h, client::code why) {
  if (link* l = std::exchange(h.at, nullptr); l != nullptr) l->close_client_end();
  if (h.closing) {
    if (h.inbox.empty()) end_closing(h, false);
    return;
  }
  const auto servers = static_cast<int>(w_.servers.size());
  if (h.state == handle_state::connected) {
    h.state = handle_state::connecting;
    h.inbox.emplace_back(downward::kind::lost);
    h.servers.lost(servers, h.session.timeout(), w_.now);
  } else {
    h.servers.failed(servers, h.session.timeout(), w_.now);
  }
  fail_all(h, why);
}

void client_library::fail_all(handle& h, client::code why) {
  for (const client::request_id id : h.requests.take_all()) {
    h.inbox.emplace_back(downward::kind::reply);
    h.inbox.back().id = id;
    h.inbox.back().reply.code = why;
  }
}

void client_library::sever(link& l, client::code why) {
  l.server_open = false;
  l.up.clear();
  if (l.client_open && l.client->at == &l) {
    w_.state_of(l.client->client).attempt_closed = false;
    lose(*l.client, why);
  }
  l.client_open = false;
}

void client_library::sever_all(int server) {
  for (const auto& each : w_.links) {
    if (each->server == server) sever(*each, code::connection_loss);
  }
}

void client_library::deliver_inbox(const std::shared_ptr<handle>& h) {
  downward message = std::move(h->inbox.front());
  h->inbox.pop_front();
  switch (message.what) {
    case downward::kind::lost: notify_session(*h, connection_state::connecting); break;
    case downward::kind::expired: notify_session(*h, connection_state::expired); break;
    case downward::kind::auth_failed: notify_session(*h, connection_state::auth_failed); break;
    case downward::kind::closed:
      h->state = handle_state::closed;
      w_.forget_handle(*h);
      h->observer->on_closed(message.confirmed);
      break;
    default: h->observer->on_reply(message.id, message.reply); break;
  }
}

void client_library::notify_session(handle& h, connection_state state) {
  client::session_event event;
  event.state = state;
  if (state == connection_state::connected) {
    event.session_id = h.session.id();
    event.timeout = h.session.timeout();
    event.password = client_session::password_of(event.session_id);
  }
  h.observer->on_session_event(event);
}

void client_library::deliver(link& l, std::size_t position) {
  const std::shared_ptr<handle> h = l.client;
  downward message = std::move(l.down[position]);
  l.down.erase(l.down.begin() + static_cast<std::ptrdiff_t>(position));
  h->clock.heard(w_.now);
  h->session.see(message.zxid);
  switch (message.what) {
    case downward::kind::connected:
      h->session.granted(l.session, l.timeout);
      accept(*h, l);
      break;
    case downward::kind::expired:
    case downward::kind::auth_failed: {
      const bool expired = message.what == downward::kind::expired;
      h->state = expired ? handle_state::expired : handle_state::auth_failed;
      l.client_open = l.server_open = false;
      h->at = nullptr;
      fail_all(*h, expired ? code::session_expired : code::auth_failed);
      notify_session(*h, expired ? connection_state::expired : connection_state::auth_failed);
      break;
    }
    case downward::kind::event: fire(h, message.path, message.event); break;
    case downward::kind::reply: answered(*h, std::move(message)); break;
    case downward::kind::hangup:
      w_.state_of(h->client).attempt_closed = true;
      lose(*h, code::connection_loss);
      break;
    case downward::kind::closed:
      h->at = nullptr;
      h->state = handle_state::closed;
      l.client_open = l.server_open = false;
      w_.forget_handle(*h);
      h->observer->on_closed(true);
      break;
    case downward::kind::pong:
    case downward::kind::lost: break;
  }
}

void client_library::accept(handle& h, link& l) {
  h.state = handle_state::connected;
  h.servers.connected();
  h.clock.sent(w_.now);
  if (!h.with.auth_scheme.empty()) l.up.emplace_back(upward::kind::auth);
  if (!h.watches.empty()) {
    l.up.emplace_back(upward::kind::set_watches);
    l.up.back().watches = std::make_unique<upward::watch_lists>(h.watches.paths(h.session.seen()));
  }
  while (auto next = h.requests.take_queued()) send(h, std::move(next->first), std::move(next->second));
  notify_session(h, connection_state::connected);
}

void client_library::fire(const std::shared_ptr<handle>& h, const std::string& path, client::node_event event) {
  for (const client::watch_id id : h->watches.fire(path, event)) {
    if (!h->closing && h->home != nullptr) h->observer->on_node_event(id, event);
  }
}

void client_library::answered(handle& h, downward&& message) {
  const asked_request entry = h.requests.take_answered();
  if (entry.watch != client::no_watch) {
    h.watches.answered(entry.watch_kind, entry.watch_path, entry.watch, message.reply.code);
  }
  h.observer->on_reply(message.id, message.reply);
}

}  // namespace zklock::testing
