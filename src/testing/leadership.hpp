#pragma once

#include <cstdint>
#include <vector>

#include "src/testing/world.hpp"

namespace zklock::testing {

/// The leader can take the server's next message: pings, revalidations and syncs ask no quorum.
[[nodiscard]] bool can_lead(const world& w, const server& from);

/// What the leader does, and what passes between it and its followers: the log, the sessions and their end.
class leadership {
 public:
  explicit leadership(world& of) noexcept : w_(of) {}

  /// A server hands a message to its leader. The leader's own connections need no way to it; a leader that was deposed
  /// answers by itself what asks no quorum, and the rest waits.
  void forward(server& from, to_leader&& message);
  /// A server has heard of a session. A follower keeps it until the leader asks.
  void touch(server& at, std::int64_t session, std::chrono::milliseconds timeout);

  void lead(server& from);  ///< the leader takes the server's next message
  void follow(server& at);  ///< the server takes the leader's next message
  void ping_followers();

  void change_nodes(std::vector<change>&& changes);  ///< an administrator's
  void expire(std::int64_t session);
  void replace(std::int64_t session);

 private:
  void answer_deposed(server& s, const to_leader& message);
  void lead_request(server& from, to_leader&& message);
  void new_session(server& from, const to_leader& message);
  void revalidate(server& from, const to_leader& message);
  void reply_to(server& to, from_leader&& message);
  [[nodiscard]] log_entry end_of(std::int64_t session);
  void commit(log_entry&& entry);

  world& w_;
};

}  // namespace zklock::testing
