#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zklock::testing {

/// Virtual time since the world began.
using instant = std::chrono::nanoseconds;

/// What can happen next in an ensemble. The owner of the schedule chooses one and performs it.
enum class step_kind : std::uint8_t {
  connect,            ///< a client's attempt to connect reaches a server (or finds none there, and has failed)
  serve,              ///< a request reaches its server, which executes or forwards it
  deliver,            ///< a reply or an event reaches the client: one thing is told to the observer
  lead,               ///< the leader takes the next message of one server
  follow,             ///< a follower takes the next message of the leader: a transaction, a ping, an answer
  client_ping,        ///< timer: a client was idle for T/3
  client_timeout,     ///< timer: a client heard nothing for 2/3 T, or waited 1.5 s for its close()
  leader_ping,        ///< timer: the leader asks its followers which sessions they have heard of, each tick/2
  session_expiry,     ///< timer: the leader has heard nothing of a session for T
  follower_gives_up,  ///< timer: a follower heard nothing of its leader for sync_limit ticks
  leader_steps_down,  ///< timer: a leader that was deposed notices it, at the latest after sync_limit ticks
  follower_rejoins,   ///< a server that has no leader finds the one that there is
  election,           ///< the servers that see each other choose a leader
};
[[nodiscard]] std::string_view name(step_kind kind) noexcept;

/// What a step does to the nodes.
enum class access : std::uint8_t { none, reads, writes };

/// Two steps are the same step when they compare equal; a step stays valid until another one of the same connection
/// and direction has been performed. The text of a step is ensemble::describe().
struct step {
  step_kind kind = step_kind::connect;
  access effect = access::none;
  std::uint8_t server = 0;     ///< where it happens; for deliver: where it comes from
  std::uint16_t position = 0;  ///< deliver: which of the events whose order is free
  std::int32_t client = -1;    ///< the client that it belongs to; -1: none
  std::uint32_t link = 0;      ///< connection (serve, deliver), handle (connect, client timers)
  std::int64_t session = 0;    ///< session_expiry
  /// Hashes of the path touched and of its parent (a created or removed node changes its parent's list); 0: any path.
  std::uint64_t path = 0;
  std::uint64_t parent = 0;

  bool operator==(const step&) const = default;
};

/// Whether two enabled steps lead to the same world in either order, whatever the clients do when told. For
/// partial-order reduction: errs on the side of no.
[[nodiscard]] bool commute(const step& a, const step& b) noexcept;

[[nodiscard]] std::size_t hash_value(const step& value) noexcept;

}  // namespace zklock::testing

template <>
struct std::hash<zklock::testing::step> {
  std::size_t operator()(const zklock::testing::step& value) const noexcept {
    return zklock::testing::hash_value(value);
  }
};
