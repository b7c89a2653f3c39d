#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/engine/session_services.hpp"
#include "tests/unit/engine/recorded_world.hpp"

namespace zklock::test_support {

using engine::instant;

/// What the operations get of a session (T = 6 s) that was opened, and is connected, at 100 s: recorded at the port.
struct recorded_session {
  explicit recorded_session(diary& to) : servers(to), world(to) {
    deadline.local().opened(std::chrono::seconds(100), false);
    way.handles().open({});
    connect();
    to.clear();
  }

  void connect() {
    using std::chrono_literals::operator""s;
    session.connected(0x100, 6s);
    deadline.connected(6s, true, false);
  }
  void disconnect() { session.disconnected(); }
  /// The local deadline of 100 s is ahead from now on.
  void prove() {
    services.send_beat(engine::heartbeat::request_kind::write, std::chrono::seconds(100));
    const client::request_id id = std::exchange(servers.sent, {}).back();
    servers.requests.clear();
    deadline.answered(*way.answered(1, id), client::code::ok, std::chrono::seconds(100));
  }
  /// There is no room for any further one.
  void refuse_watches() { servers.budget.bytes = 0; }

  const detail::session_config config = [] {
    detail::session_config made;
    made.root = "/root";
    return made;
  }();
  recorded_servers servers;
  recorded_world world;
  engine::deadline_keeper deadline{{}};
  engine::wire way{servers, world, deadline.local()};
  engine::current_session session{world};
  engine::session_services services{config, session, way, deadline, world};
};

}  // namespace zklock::test_support
