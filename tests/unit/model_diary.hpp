#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/testing/ensemble_model.hpp"

namespace zklock::testing {

/// What one connection is told, as lines.
class diary final : public client::observer {
 public:
  void on_reply(client::request_id id, client::reply&& answer) override {
    lines.push_back("reply " + std::to_string(id) + " " + std::string(recipes::name(answer.code)));
    last = std::move(answer);
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

struct program {
  explicit program(ensemble& in, int number = 0, int server = 0, bool only = false)
      : connection(in.clients(number, server, only)->open({.timeout = std::chrono::seconds(6)}, told)) {}
  void ask(client::request_id id, client::any_request what) { connection->submit(id, std::move(what)); }

  diary told;
  std::unique_ptr<client::connection> connection;
};

using lines = std::vector<std::string>;

inline const step* find(const std::vector<step>& in, step_kind kind, int server = -1) {
  const auto it = std::find_if(in.begin(), in.end(),
                               [&](const step& s) { return s.kind == kind && (server < 0 || s.server == server); });
  return it == in.end() ? nullptr : &*it;
}

/// Performs steps of one kind while there are any.
inline void perform_all(ensemble& e, step_kind kind, int server = -1) {
  for (;;) {
    const std::vector<step> next = e.steps();
    const step* one = find(next, kind, server);
    if (one == nullptr) return;
    e.perform(*one);
  }
}

/// Lets time pass as in a healthy ensemble: each timer in its turn, and all that follows from it.
inline void pass_time(ensemble& e, instant by) {
  const instant until = e.now() + by;
  for (std::optional<instant> next = e.next_timer(); next && *next <= until; next = e.next_timer()) {
    e.advance(*next - e.now());
    ASSERT_TRUE(e.settle());
  }
  e.advance(until - e.now());
  ASSERT_TRUE(e.settle());
}

}  // namespace zklock::testing
