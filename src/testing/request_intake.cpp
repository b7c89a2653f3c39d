#include "src/testing/request_intake.hpp"

#include <algorithm>
#include <utility>

#include "src/testing/client_answers.hpp"
#include "src/testing/client_library.hpp"
#include "src/testing/leadership.hpp"

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

/// Whether a message takes the way by the leader.
bool is_ordered(const upward& message) {
  return message.what == upward::kind::close || is_write(message.request) || is_sync(message);
}

}  // namespace

bool can_serve(const world& w, const link& l) {
  const server& s = w.servers[l.server];
  if (!l.server_open || l.up.empty() || s.down || s.frozen || !s.serving) return false;
  const client_state* state = w.find_state(l.client->client);
  return state == nullptr || !state->up_held;
}

void request_intake::serve(link& l) {
  server& s = w_.servers[l.server];
  upward message = std::move(l.up.front());
  l.up.pop_front();
  if (message.what != upward::kind::connect && l.session != 0) leadership(w_).touch(s, l.session, l.timeout);
  switch (message.what) {
    case upward::kind::connect: connect(s, l); break;
    case upward::kind::auth: authenticate(l); break;
    case upward::kind::set_watches: watch_again(s, l, *message.watches); break;
    case upward::kind::ping:
      if (!l.client->closing) l.send_down(downward(downward::kind::pong, s.nodes.zxid()));
      break;
    case upward::kind::close:
    case upward::kind::request: take_request(s, l, std::move(message)); break;
  }
}

void request_intake::serve_through_request(link& l) {
  while (l.server_open && !l.up.empty()) {
    const bool is_request = l.up.front().what == upward::kind::request;
    serve(l);
    if (is_request) return;
  }
}

void request_intake::connect(server& s, link& l) {
  const client_session& session = l.client->session;
  if (session.seen() > s.nodes.zxid()) {  // the client has seen more than this server
    l.hang_up();
    return;
  }
  l.timeout = std::clamp(session.timeout(), w_.with.session_timeout_min, w_.with.session_timeout_max);
  to_leader words;
  words.link = l.number;
  words.session = session.id();
  words.timeout = l.timeout;
  if (words.session == 0 && w_.with.local_sessions) {
    l.session = w_.sessions.create(l.timeout, s.number, l.client->client, w_.now);
    l.send_down(downward(downward::kind::connected));
    return;
  }
  if (words.session == 0) {
    words.what = to_leader::kind::new_session;
  } else {
    for (const auto& other : w_.links) {
      if (other->server == l.server && other->session == words.session) {
        client_library(w_).sever(*other, code::connection_loss);
      }
    }
    l.session = words.session;
    s.revalidating[words.session] = l.number;
    words.what = to_leader::kind::revalidate;
  }
  leadership(w_).forward(s, std::move(words));
}

void request_intake::authenticate(link& l) {
  const client::parameters& with = l.client->with;
  if (with.auth_scheme == "digest") {
    l.identities.push_back({with.auth_scheme, with.auth_credentials});
  } else {
    l.send_down(downward(downward::kind::auth_failed));
  }
}

void request_intake::watch_again(server& s, link& l, const upward::watch_lists& lists) {
  const std::uint32_t group = ++w_.last_group;
  for (const auto& missed : l.watches.watch_again(lists, s.nodes.nodes())) {
    l.send_event(missed.path, missed.event, group);
  }
}

bool request_intake::drops(link& l, client_state& faults, const client::any_request& what) {
  if (std::exchange(faults.lose_next_request, false)) {
    client_library(w_).sever(l, code::connection_loss);
    return true;
  }
  if (size_of(what) > packet_max) {
    l.hang_up();
    return true;
  }
  return false;
}

void request_intake::take_request(server& s, link& l, upward&& message) {
  staged entry;
  entry.forwarded = is_ordered(message);
  bool lose_reply = false;
  if (message.what == upward::kind::request) {
    client_state& faults = w_.state_of(l.client->client);
    if (drops(l, faults, message.request)) return;
    lose_reply = std::exchange(faults.lose_next_reply, false);
    if (const auto dictated = std::exchange(faults.next_answer, std::nullopt)) {
      entry.answer = dictated->code;
      entry.forwarded = entry.forwarded && dictated->applied;
    }
  }
  entry.message = std::move(message);
  if (entry.forwarded) {
    to_leader words;
    words.what = to_leader::kind::request;
    words.link = l.number;
    words.session = l.session;
    words.identities = l.identities;
    words.message.what = entry.message.what;
    words.message.id = entry.message.id;
    words.message.request = std::move(entry.message.request);
    l.stage.push_back(std::move(entry));
    leadership(w_).forward(s, std::move(words));
  } else {
    l.stage.push_back(std::move(entry));
    client_answers(w_).advance(s, l);
  }
  if (lose_reply) client_library(w_).sever(l, code::connection_loss);
}

}  // namespace zklock::testing
