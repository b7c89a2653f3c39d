#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/port/client.hpp"
#include "src/testing/log_entry.hpp"

/// What passes between a client and its server, and between a follower and its leader.
namespace zklock::testing {

/// What a client sends to its server.
struct upward {
  enum class kind : std::uint8_t { connect, auth, set_watches, request, ping, close };
  struct watch_lists {
    std::int64_t seen = 0;  ///< the last zxid that the client has seen
    std::vector<std::string> data, exist, child;
  };
  kind what = kind::ping;
  client::request_id id = 0;
  client::any_request request = client::request::sync{};  ///< the cheapest, where there is none
  std::unique_ptr<watch_lists> watches;

  explicit upward(kind of) : what(of) {}
  upward() = default;
};

/// What reaches a client, from a server or from its own library.
struct downward {
  enum class kind : std::uint8_t { connected, expired, auth_failed, lost, reply, event, pong, closed, hangup };
  kind what = kind::pong;
  client::request_id id = 0;
  std::int64_t zxid = 0;
  client::reply reply;
  std::string path;
  client::node_event event = client::node_event::created;
  std::uint32_t group = 0;  ///< not 0: may change places with its neighbours of the same group
  bool confirmed = false;   ///< closed

  explicit downward(kind of, std::int64_t server_zxid = 0) : what(of), zxid(server_zxid) {}
};

/// Sessions that a follower has heard of, each with the timeout of its connection.
using touch_table = std::map<std::int64_t, std::chrono::milliseconds>;

/// A follower's message to its leader.
struct to_leader {
  enum class kind : std::uint8_t { request, new_session, revalidate, ping };
  kind what = kind::ping;
  std::uint32_t link = 0;
  std::int64_t session = 0;
  std::chrono::milliseconds timeout{0};
  data_tree::identities identities;
  upward message;
  touch_table touched;
};

/// A leader's message to a follower.
struct from_leader {
  enum class kind : std::uint8_t { commit, answer, revalidated, ping };
  kind what = kind::ping;
  std::uint32_t link = 0;
  std::int64_t session = 0;  ///< revalidated
  std::shared_ptr<const log_entry> entry;
  client::code code = client::code::ok;
};

[[nodiscard]] inline bool is_sync(const upward& message) noexcept {
  return message.what == upward::kind::request && std::holds_alternative<client::request::sync>(message.request);
}

}  // namespace zklock::testing
