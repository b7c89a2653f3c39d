#pragma once

#include "src/port/client.hpp"

namespace zklock::testing {

class world;

/// What can go wrong between the clients and their servers. Clients that do not exist are ignored.
class client_network {
 public:
  explicit client_network(world& of) noexcept : w_(of) {}

  void cut(int client);
  void refuse(int client, bool refused);  ///< connection attempts fail at once
  void hold(int client, bool up, bool down);
  void hold_requests(int client, bool held);
  void hold_replies(int client, bool held);
  void lose_next_request(int client);  ///< when it reaches the server
  void lose_next_reply(int client);    ///< the next request is executed, its reply and the connection are lost
  /// The next request is answered with that code, whether it was executed or not.
  void answer_next_with(int client, client::code code, bool applied = false);
  void crash(int client);  ///< the process dies: connections closed, sessions left, observers never called
  /// Another client connects with the ids of the client's sessions and goes away: the servers drop its connections.
  void take_over_sessions(int client);

 private:
  world& w_;
};

}  // namespace zklock::testing
