#pragma once

#include "src/testing/world.hpp"

namespace zklock::testing {

/// The server of the connection can take its next message.
[[nodiscard]] bool can_serve(const world& w, const link& l);

/// What a server does with the messages of its clients: it answers reads by its own nodes, in the order of the
/// session's requests, and forwards the rest to the leader.
class request_intake {
 public:
  explicit request_intake(world& of) noexcept : w_(of) {}

  void serve(link& l);                  ///< the next message of the connection
  void serve_through_request(link& l);  ///< up to and with its next request

 private:
  void connect(server& s, link& l);
  void authenticate(link& l);
  void watch_again(server& s, link& l, const upward::watch_lists& lists);
  void take_request(server& s, link& l, upward&& message);
  /// Faults may hit the request before the server has done anything: it is gone, with the connection.
  [[nodiscard]] bool drops(link& l, client_state& faults, const client::any_request& what);

  world& w_;
};

}  // namespace zklock::testing
