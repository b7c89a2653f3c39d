#pragma once

#include <cstdint>
#include <deque>

#include "src/port/client.hpp"
#include "src/testing/client_clock.hpp"
#include "src/testing/client_requests.hpp"
#include "src/testing/client_session.hpp"
#include "src/testing/client_watches.hpp"
#include "src/testing/messages.hpp"
#include "src/testing/server_choice.hpp"

namespace zklock::testing {

class world;
struct link;

enum class handle_state : std::uint8_t { connecting, connected, expired, auth_failed, closed };

/// A client's end of its connections: what zhandle_t is to the C client.
struct handle {
  handle(const client::parameters& parameters, client::observer& told, server_choice first)
      : observer(&told), with(parameters), servers(first), session(parameters.timeout, parameters.resumed) {}

  std::uint32_t number = 0;
  int client = 0;
  world* home = nullptr;  ///< null once the ensemble is gone
  client::observer* observer;
  client::parameters with;
  handle_state state = handle_state::connecting;
  bool closing = false;
  link* at = nullptr;  ///< the connection, or the attempt at one
  server_choice servers;
  client_session session;
  client_clock clock;
  client_requests requests;
  client_watches watches;
  std::deque<downward> inbox;  ///< from the library itself; delivered before anything on the connection
};

}  // namespace zklock::testing
