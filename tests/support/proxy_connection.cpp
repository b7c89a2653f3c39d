#include "tests/support/proxy_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace zklock::test_support {

proxy_connection::proxy_connection(std::uint64_t number, descriptor client, descriptor server, proxy::protocol speaks,
                                   proxy_settings& settings)
    : number_(number), client_(std::move(client)), server_(std::move(server)), settings_(settings) {
  requests_.framed = replies_.framed = speaks == proxy::protocol::zookeeper;
}

void proxy_connection::cut() {
  cut_ = true;
  if (!client_reset_) reset_on_close(client_);
  reset_on_close(server_);
}

void proxy_connection::reset_client() {
  client_reset_ = true;
  reset_on_close(client_);
  client_.reset();
}

bool proxy_connection::held(const flow& one) const {
  if (client_reset_) return true;
  return &one == &requests_ ? settings_.holds_requests() : settings_.holds_replies();
}

bool proxy_connection::advance(clock::time_point now) {
  const bool alive = advance(requests_, client_, server_, now) && advance(replies_, server_, client_, now);
  if (!alive) cut();
  return alive && !(requests_.finished && replies_.finished) && !(closing_ && replies_.out.empty());
}

/// False when the connection is broken, or a hook wants it so.
bool proxy_connection::advance(flow& one, const descriptor& from, const descriptor& to, clock::time_point now) {
  if (held(one)) return true;
  if (!receive(one, from) || !forward_frames(one, now) || !send_due(one, to, now)) return false;
  if (one.ended && one.out.empty() && !one.finished) {
    one.finished = true;
    ::shutdown(to.get(), SHUT_WR);
  }
  return true;
}

bool proxy_connection::receive(flow& one, const descriptor& from) {
  std::array<char, 16384> chunk{};
  while (!one.ended) {
    const ssize_t count = ::recv(from.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (count > 0) one.received.append(chunk.data(), static_cast<std::size_t>(count));
    if (count == 0) one.ended = true;
    if (count < 0 && errno != EINTR) return errno == EAGAIN || errno == ENOTCONN;
  }
  return true;
}

bool proxy_connection::forward_frames(flow& one, clock::time_point now) {
  if (!one.shaken_hands && not_framed(one.received)) requests_.framed = replies_.framed = false;
  while (!one.received.empty() && !closing_ && !(&one == &requests_ && reply_to_lose_)) {
    const auto size = one.framed ? whole_frame(one.received) : std::optional(one.received.size());
    if (!size) return true;
    std::string frame = one.received.substr(0, *size);
    one.received.erase(0, *size);
    if (!one.framed && &one == &requests_ && settings_.on_bytes) settings_.on_bytes(frame);
    const bool admitted = !one.framed || (&one == &requests_ ? admit_request(frame) : admit_reply(frame));
    if (cut_) return false;
    if (admitted) one.out.push_back({now + settings_.delay, std::move(frame)});
    one.shaken_hands = true;
  }
  return true;
}

bool proxy_connection::admit_request(std::string& frame) {
  request_frame request = requests_.shaken_hands ? parse_request(frame) : request_frame{};
  request.connection = number_;
  const verdict decided = settings_.on_request ? settings_.on_request(request) : verdict::pass;
  if (decided == verdict::cut_before) cut();
  if (decided == verdict::cut_after) reply_to_lose_ = request.xid;
  if (settings_.rewrite_request) settings_.rewrite_request(request, frame);
  unanswered_.push_back(std::move(request));
  return decided != verdict::cut_before;
}

bool proxy_connection::admit_reply(std::string& frame) {
  reply_frame reply = replies_.shaken_hands ? parse_reply(frame) : reply_frame{};
  reply.connection = number_;
  if (!replies_.shaken_hands) {
    if (const session_credentials session = parse_handshake_reply(frame); session.id != 0)
      settings_.last_session = session;
  }
  // By xid and not simply the first: pings and authentication have xids of their own, and events answer nothing.
  const auto asked = std::ranges::find(unanswered_, reply.xid, &request_frame::xid);
  if (asked != unanswered_.end()) {
    reply.opcode = asked->opcode;
    reply.path = asked->path;
    unanswered_.erase(asked);
  }
  const verdict decided = settings_.on_reply ? settings_.on_reply(reply) : verdict::pass;
  const bool lose = decided == verdict::cut_before || reply_to_lose_ == reply.xid;
  if (lose) cut();
  if (decided == verdict::cut_after) closing_ = true;
  if (settings_.rewrite_reply) settings_.rewrite_reply(reply, frame);
  return !lose;
}

bool proxy_connection::send_due(flow& one, const descriptor& to, clock::time_point now) {
  while (!one.out.empty() && one.out.front().due <= now) {
    std::string& bytes = one.out.front().bytes;
    const ssize_t count = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == ENOTCONN;
    bytes.erase(0, static_cast<std::size_t>(count));
    if (bytes.empty()) one.out.pop_front();
  }
  return true;
}

std::pair<proxy_connection::interest, proxy_connection::interest> proxy_connection::interests(
    clock::time_point now) const {
  const auto events = [&](const flow& from, const flow& to) {
    const bool reads = !held(from) && !from.ended;
    const bool writes = !held(to) && !to.out.empty() && to.out.front().due <= now;
    return static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
  };
  return {{client_.get(), events(requests_, replies_)}, {server_.get(), events(replies_, requests_)}};
}

std::optional<proxy_connection::clock::time_point> proxy_connection::next_due(clock::time_point now) const {
  std::optional<clock::time_point> next;
  for (const flow* one : {&requests_, &replies_}) {
    if (held(*one) || one->out.empty() || one->out.front().due <= now) continue;  // what is due waits for POLLOUT
    if (!next || one->out.front().due < *next) next = one->out.front().due;
  }
  return next;
}

}  // namespace zklock::test_support
