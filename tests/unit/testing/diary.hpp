#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/port/client.hpp"

namespace zklock::testing {

using lines = std::vector<std::string>;

/// What one connection is told, as lines.
class diary final : public client::observer {
 public:
  void on_reply(client::request_id id, const client::reply_view& answer) override {
    lines.push_back("reply " + std::to_string(id) + " " + std::string(recipes::name(answer.code)));
    last = answer.copy();
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    lines.push_back("event " + std::to_string(id) + " " + std::to_string(static_cast<int>(event)));
  }
  void on_session_event(const client::session_event& event) override {
    static const char* const names[] = {"connecting", "connected", "expired", "auth failed"};
    lines.emplace_back(names[static_cast<int>(event.state)]);
    if (event.state != client::connection_state::connected) return;
    session = event.session_id;
    timeout = event.timeout;
  }
  void on_closed(bool confirmed) override { lines.emplace_back(confirmed ? "closed" : "left"); }

  std::vector<std::string> take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;
  client::reply last;
  std::int64_t session = 0;
  std::chrono::nanoseconds timeout{0};
};

}  // namespace zklock::testing
