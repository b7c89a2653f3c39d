#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/loopback.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/zookeeper_frames.hpp"

namespace zklock::test_support {

/// What all connections of a proxy go by.
struct proxy_settings {
  proxy_mode mode = proxy_mode::pass;
  std::chrono::milliseconds delay{0};
  std::function<verdict(const request_frame&)> on_request;
  std::function<verdict(const reply_frame&)> on_reply;
  std::function<void(std::string_view)> on_bytes;
  std::function<void(const request_frame&, std::string&)> rewrite_request;
  std::function<void(const reply_frame&, std::string&)> rewrite_reply;
  session_credentials last_session;

  [[nodiscard]] bool holds_requests() const { return mode == proxy_mode::hold || mode == proxy_mode::hold_requests; }
  [[nodiscard]] bool holds_replies() const { return mode == proxy_mode::hold || mode == proxy_mode::hold_replies; }
};

/// One client's connection through a proxy: two sockets, and for each direction what has come and what may go.
/// Used by the proxy's thread alone.
class proxy_connection {
 public:
  using clock = std::chrono::steady_clock;

  proxy_connection(std::uint64_t number, descriptor client, descriptor server, proxy::protocol speaks,
                   proxy_settings& settings);

  /// Takes in what has come and sends on what is due. False when the connection is over; then destroy it.
  [[nodiscard]] bool advance(clock::time_point now);
  /// Makes the destruction a reset, for both ends.
  void cut();
  /// For the client's end alone; from now on nothing is forwarded, and nothing is told to the server.
  void reset_client();

  // What to poll for: events may be 0, then leave the socket out (a held one that hung up would never be quiet).
  struct interest {
    int socket;
    short events;
  };
  [[nodiscard]] std::pair<interest, interest> interests(clock::time_point now) const;
  [[nodiscard]] std::optional<clock::time_point> next_due(clock::time_point now) const;

 private:
  struct piece {
    clock::time_point due;
    std::string bytes;
  };
  /// One direction.
  struct flow {
    std::string received;   ///< not yet looked at
    std::deque<piece> out;  ///< may go when due
    bool ended = false;     ///< the sender has finished
    bool finished = false;  ///< and the receiver was told
    bool shaken_hands = false;
    bool framed = true;
  };

  bool advance(flow& one, const descriptor& from, const descriptor& to, clock::time_point now);
  bool receive(flow& one, const descriptor& from);
  bool forward_frames(flow& one, clock::time_point now);
  bool send_due(flow& one, const descriptor& to, clock::time_point now);
  /// Each decides about one frame: whether it is forwarded. May change it, cut, or stop the flow.
  bool admit_request(std::string& frame);
  bool admit_reply(std::string& frame);
  [[nodiscard]] bool held(const flow& one) const;

  std::uint64_t number_;
  descriptor client_;
  descriptor server_;
  proxy_settings& settings_;
  flow requests_;
  flow replies_;
  std::deque<request_frame> unanswered_;
  std::optional<std::int32_t> reply_to_lose_;  ///< xid of the request behind which nothing is forwarded
  bool closing_ = false;                       ///< after the last reply has gone
  bool cut_ = false;
  bool client_reset_ = false;
};

}  // namespace zklock::test_support
