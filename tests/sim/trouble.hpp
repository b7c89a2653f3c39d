#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace zklock::sim {

/// What goes wrong, as the exhaustive run counts it. The model's faults, and what only a simulation can do: stop or
/// crash a program, be slow, be an operator.
enum class trouble_kind : std::uint8_t {
  none,
  request_lost,       ///< before it was applied, and the connection with it
  request_applied,    ///< it is applied, the reply and the connection are lost
  request_throttled,  ///< refused by the server; the connection stands
  reply_lost,         ///< a reply under way is lost, and the connection with it
  connection_cut,
  connection_refused,  ///< cut, and refused for a third of the session timeout
  session_expired,     ///< by force; the client learns it when it is told
  session_replaced,    ///< on the reconnect the client gets another session, and no word of the old one's end
  node_removed,        ///< the client's contender node, by an operator
  lock_node_reaped,
  server_restarted,
  server_silent,          ///< for two session timeouts
  server_silent_briefly,  ///< for a twelfth of one
  uplink_lost,            ///< one way, for two session timeouts
  downlink_lost,
  client_stopped,  ///< SIGSTOP for two session timeouts
  client_crashed,
  time_passes,  ///< clients and servers are slow: the next timer comes before what is under way
  // with several servers
  follower_cut,      ///< from its leader; it goes on answering reads
  follower_lagging,  ///< and the client is moved to it
  leader_killed,
  // about the deadline: what is slow stays under way, in order, for a while (2/3 of a session timeout at the most)
  uplink_slow,
  downlink_slow,
  link_slow,          ///< both ways
  timeout_lowered,    ///< the servers' bounds change, and the client has to connect again
  timeout_raised,     ///< the same
  revalidation_late,  ///< its connection is cut, and cut again while the answer of the leader is under way
  to_leader_slow,     ///< from a follower
  from_leader_slow,
  follower_slow,  ///< both ways
  server_stood_still,
  follower_killed,  ///< with touches that it has not told its leader
  leader_deposed,   ///< its followers elect another one; it goes on answering reads and syncs
  leader_pings_late,
  // about numbers in a row
  lock_node_removed,  ///< with its children, by an operator
  // about servers that were away for long
  data_lost,     ///< all servers come back without their data
  servers_down,  ///< all of them, for two session timeouts; with their data
};
inline constexpr int trouble_kinds = static_cast<int>(trouble_kind::servers_down) + 1;

[[nodiscard]] std::string_view name(trouble_kind kind) noexcept;

/// Whether it hits one client (the target is its number), or a server.
[[nodiscard]] bool hits_client(trouble_kind kind) noexcept;
[[nodiscard]] bool needs_several_servers(trouble_kind kind) noexcept;
/// Of the servers' leader, whichever that is.
[[nodiscard]] bool hits_leader(trouble_kind kind) noexcept;
/// Whether what it is about is how the instants of client, follower and leader go together.
[[nodiscard]] bool is_about_deadline(trouble_kind kind) noexcept;
/// Whether it is about servers that were away for so long that the client asks whether they take its handle.
[[nodiscard]] constexpr bool is_about_return(trouble_kind kind) noexcept { return kind >= trouble_kind::data_lost; }
/// Whether something is slow for a time that is to be chosen.
[[nodiscard]] bool is_slowness(trouble_kind kind) noexcept;
/// Whether it touches nothing but what lies between one client and its server, or on the servers: what a client's side
/// does is then independent of it.
[[nodiscard]] bool leaves_client_side_alone(trouble_kind kind) noexcept;

struct trouble {
  trouble_kind kind = trouble_kind::none;
  int target = 0;                     ///< client or server
  std::chrono::nanoseconds lasts{0};  ///< 0: as long as is usual

  bool operator==(const trouble&) const = default;
};

}  // namespace zklock::sim
