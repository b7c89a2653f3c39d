#include "src/testing/link.hpp"

#include <algorithm>
#include <utility>

namespace zklock::testing {

void link::send_down(downward&& message) {
  if (client_open) down.push_back(std::move(message));
}

void link::send_event(std::string_view path, client::node_event event, std::uint32_t group) {
  if (!client_open || !server_open || client->closing) return;
  downward message(downward::kind::event);
  message.path = path;
  message.event = event;
  message.group = group;
  down.push_back(std::move(message));
}

void link::close_client_end() {
  client_open = false;
  down.clear();
  // a new connection does not take back what was written on this one
  std::erase_if(up, [](const upward& m) { return m.what != upward::kind::request && m.what != upward::kind::close; });
}

void link::hang_up() {
  server_open = false;
  up.clear();
  stage.clear();
  watches.clear();
  send_down(downward(downward::kind::hangup));
}

bool link::has_request_under_way() const {
  return std::any_of(up.begin(), up.end(), [](const upward& m) { return m.what == upward::kind::request; });
}

bool link::has_reply_under_way() const {
  return std::any_of(down.begin(), down.end(), [](const downward& m) { return m.what == downward::kind::reply; });
}

}  // namespace zklock::testing
