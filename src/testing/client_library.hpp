#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "src/testing/world.hpp"

namespace zklock::testing {

/// The C client's ways: what a handle does when it is used, answered, cut off, and left in silence.
class client_library {
 public:
  explicit client_library(world& of) noexcept : w_(of) {}

  std::shared_ptr<handle> open(int client, int first_server, bool only, const client::parameters& with,
                               client::observer& to);
  void submit(handle& h, client::request_id id, client::any_request&& what);
  void forget(handle& h, std::string_view path, client::watch_id id, client_watches::kind kind);
  void close(handle& h);

  /// The new connection; null: the server refuses it.
  link* connect(handle& h);
  void deliver(link& l, std::size_t position);
  void deliver_inbox(const std::shared_ptr<handle>& h);
  void ping(handle& h);
  void time_out(handle& h);
  void lose(handle& h, client::code why);  ///< the client's end notices
  void sever(link& l, client::code why);   ///< both ends at once; nothing under way survives
  void sever_all(int server);

 private:
  void end_closing(handle& h, bool confirmed);
  void notify_session(handle& h, client::connection_state state);
  void accept(handle& h, link& l);
  void fail_all(handle& h, client::code why);
  void send(handle& h, asked_request&& entry, client::any_request&& what);
  void fire(const std::shared_ptr<handle>& h, const std::string& path, client::node_event event);
  void answered(handle& h, downward&& message);

  world& w_;
};

}  // namespace zklock::testing
