#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::testing {

/// What can go wrong on demand, at any step.
enum class fault_kind : std::uint8_t {
  request_lost,        ///< the client's next request is lost before a server saw it, and the connection with it
  request_reply_lost,  ///< the client's next request is executed; reply and connection are lost
  request_throttled,   ///< the client's next request is refused, and nothing else: the connection stands
  reply_lost,          ///< a reply is on its way and gets lost, and the connection with it
  connection_cut,      ///< the connection is reset
  uplink_held,         ///< what the client sends stays under way; only the silence shows it
  downlink_held,       ///< what the client is sent stays under way
  link_restored,       ///< both directions move again
  session_expired,     ///< the leader ends the client's session
  session_replaced,    ///< the servers have forgotten the session; a client that resumes it is given another, unasked
  timeout_lowered,     ///< the servers' bounds change: half of what the client asks for, when it connects again
  timeout_raised,      ///< the same: one and a half times
  containers_reaped,   ///< empty containers that once had a child are deleted
  server_restarted,    ///< connections are reset, session clocks start afresh, the nodes stay
  server_stopped,      ///< SIGSTOP: accepts connections, says nothing
  server_continued,    ///< SIGCONT
  follower_cut,        ///< nothing passes between a follower and its leader; it goes on answering reads
  follower_lagging,    ///< a follower hears its leader late; it goes on answering reads
  follower_unheard,    ///< a follower is heard late by its leader
  follower_joined,     ///< both again pass
  follower_killed,     ///< a follower dies, and what it has not told its leader
  leader_killed,       ///< the leader dies; the others elect one, session clocks start afresh
  leader_deposed,      ///< its followers elect another one; it goes on answering reads and syncs
  leader_ping_late,    ///< the leader asks its followers later than it should which sessions they have heard of
};
inline constexpr int fault_kinds = static_cast<int>(fault_kind::leader_ping_late) + 1;

[[nodiscard]] std::string_view name(fault_kind kind) noexcept;

/// A fault and what it hits.
struct fault {
  fault_kind kind = fault_kind::connection_cut;
  std::int32_t client = -1;  ///< faults of a client
  std::uint32_t handle = 0;  ///< which of the client's handles
  std::uint8_t server = 0;   ///< faults of a server

  bool operator==(const fault&) const = default;
};
[[nodiscard]] std::string describe(const fault& what);

}  // namespace zklock::testing
