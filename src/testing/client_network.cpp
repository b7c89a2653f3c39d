#include "src/testing/client_network.hpp"

#include "src/testing/client_library.hpp"
#include "src/testing/world.hpp"

namespace zklock::testing {

using client::code;

void client_network::cut(int client) {
  for (const auto& h : std::vector(w_.handles)) {
    if (h->client == client && h->at != nullptr) client_library(w_).sever(*h->at, code::connection_loss);
  }
}

void client_network::refuse(int client, bool refused) { w_.state_of(client).refused = refused; }

void client_network::hold(int client, bool up, bool down) {
  hold_requests(client, up);
  hold_replies(client, down);
}

void client_network::hold_requests(int client, bool held) { w_.state_of(client).up_held = held; }

void client_network::hold_replies(int client, bool held) { w_.state_of(client).down_held = held; }

void client_network::lose_next_request(int client) { w_.state_of(client).lose_next_request = true; }

void client_network::lose_next_reply(int client) { w_.state_of(client).lose_next_reply = true; }

void client_network::answer_next_with(int client, client::code code, bool applied) {
  w_.state_of(client).next_answer = client_state::dictated{code, applied};
}

void client_network::crash(int client) {
  for (const auto& h : std::vector(w_.handles)) {
    if (h->client != client) continue;
    h->closing = true;
    h->state = handle_state::closed;
    if (h->at != nullptr) client_library(w_).sever(*h->at, code::connection_loss);
    h->inbox.clear();
    h->home = nullptr;
    w_.forget_handle(*h);
  }
}

void client_network::take_over_sessions(int client) {
  for (const auto& l : w_.links) {
    if (l->client->client == client && l->server_open && l->session != 0) l->hang_up();
  }
}

}  // namespace zklock::testing
