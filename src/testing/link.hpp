#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "src/testing/handle.hpp"
#include "src/testing/messages.hpp"
#include "src/testing/server_watches.hpp"

namespace zklock::testing {

/// A request at a server that waits for the leader's answer, or behind one that does.
struct staged {
  upward message;
  bool forwarded = false;
  std::optional<client::code> answer;  ///< instead of what it would be answered
};

/// One connection. The client's end and the server's end close apart from each other.
struct link {
  std::uint32_t number = 0;
  std::shared_ptr<handle> client;
  int server = 0;
  std::int64_t session = 0;              ///< 0 until its server has heard of it
  std::chrono::milliseconds timeout{0};  ///< granted on this connection; what the server hears on it touches with that
  bool client_open = true;
  bool server_open = true;
  std::deque<upward> up;
  std::deque<downward> down;
  data_tree::identities identities;
  std::deque<staged> stage;
  server_watches watches;

  /// The server's end sends, unless the client's end is closed.
  void send_down(downward&& message);
  /// The same; a client that closes its handle is sent no more than the answer to that.
  void send_event(std::string_view path, client::node_event event, std::uint32_t group = 0);
  /// The client's end closes. What it has written may still arrive, long after.
  void close_client_end();
  /// The server's end closes.
  void hang_up();

  [[nodiscard]] bool has_request_under_way() const;
  [[nodiscard]] bool has_reply_under_way() const;
};

}  // namespace zklock::testing
