#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/port/client.hpp"
#include "tests/sim/transcript.hpp"

namespace zklock::sim {

/// What passes one connection, for the transcript. The numbers of requests and watches are the core's own affair: a request
/// is told by its place in the connection's order, a watch by its path.
class port_transcript {
 public:
  /// `connection`: how many this client has opened before.
  port_transcript(transcript& to, int client, std::uint64_t connection)
      : to_(to), client_(client), connection_(connection) {}

  void opened(const client::parameters& with);
  void requested(client::request_id id, const client::any_request& what);
  void forgotten(std::string_view path, client::watch_id id, client::connection::watch_kind kind);
  void closed();

  void answered(client::request_id id, const client::reply_view& answer);
  void node_event(client::watch_id id, client::node_event event);
  void session_event(const client::session_event& event);
  void closing_answered(bool confirmed);

 private:
  struct pending {
    client::request_id id;
    std::uint64_t place;
  };
  struct set_watch {
    client::watch_id id;
    std::uint64_t path;
  };
  void add(const client::request::create& what);
  void add(const client::request::list& what) { add_reading(what.path, what.watch); }
  void add(const client::request::get& what) { add_reading(what.path, what.watch); }
  void add(const client::request::exists& what) { add_reading(what.path, what.watch); }
  void add(const client::request::get_acl& what) { add_reading(what.path, client::no_watch); }
  void add(const client::request::set& what);
  void add(const client::request::remove& what);
  void add(const client::request::check& what);
  void add(const client::request::sync& what);
  void add(const client::request::multi& what);
  void add_reading(std::string_view path, client::watch_id watch);
  /// Takes the watch out of those that stand. Its path; 0: it has been taken out before.
  std::uint64_t take(client::watch_id id);

  transcript& to_;
  const int client_;
  const std::uint64_t connection_;
  std::uint64_t requests_ = 0;
  std::vector<pending> unanswered_;
  std::vector<set_watch> watches_;
};

}  // namespace zklock::sim
