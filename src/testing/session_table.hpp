#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "src/testing/step.hpp"

namespace zklock::testing {

struct session_record {
  std::chrono::milliseconds timeout{0};  ///< of its creation: a new leader knows no other
  instant deadline{0};                   ///< when the leader will end it
  int owner = 0;                         ///< the server that the client is connected to
  int client = 0;
};

/// The sessions that stand, with their clocks, as the leader keeps them. It looks at them once a tick, `phase` before
/// the whole tick.
class session_table {
 public:
  session_table(std::chrono::milliseconds tick, std::chrono::milliseconds phase) noexcept
      : tick_(tick), phase_(phase) {}

  std::int64_t create(std::chrono::milliseconds timeout, int owner, int client, instant now);
  /// A touch with a smaller timeout can move the deadline earlier, as in servers of 3.5 and later.
  void touch(std::int64_t id, std::chrono::milliseconds timeout, instant now);
  bool erase(std::int64_t id) { return sessions_.erase(id) != 0; }
  /// No server knows any of them (any more). Later ones get other ids.
  void clear() noexcept { sessions_.clear(); }
  /// A new leader, or a server that starts again, knows the timeouts of the sessions' creation alone.
  void start_clocks_afresh(instant now);

  /// The client is given another session when it comes back with this one.
  void replace(std::int64_t id) { replaced_.insert(id); }
  [[nodiscard]] bool is_replaced(std::int64_t id) const { return replaced_.contains(id); }

  [[nodiscard]] bool contains(std::int64_t id) const { return sessions_.contains(id); }
  [[nodiscard]] session_record* find(std::int64_t id);
  [[nodiscard]] const std::map<std::int64_t, session_record>& all() const noexcept { return sessions_; }

 private:
  [[nodiscard]] instant deadline_after(instant now, std::chrono::milliseconds timeout) const noexcept;

  instant tick_;
  instant phase_;
  std::map<std::int64_t, session_record> sessions_;
  std::set<std::int64_t> replaced_;
  std::int64_t last_id_ = 0x1000000000000000;
};

}  // namespace zklock::testing
