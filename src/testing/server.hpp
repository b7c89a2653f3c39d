#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "src/testing/deposition.hpp"
#include "src/testing/leader_line.hpp"
#include "src/testing/replica.hpp"

namespace zklock::testing {

/// One server of the ensemble.
struct server {
  server(int its_number, replica its_nodes) : number(its_number), nodes(std::move(its_nodes)) {}
  server(server&&) = default;
  server& operator=(server&&) = default;

  int number;
  replica nodes;
  bool down = false;    ///< killed
  bool frozen = false;  ///< stands still
  bool serving = true;  ///< has a leader that it believes in
  leader_line line;
  /// Set in a leader that was deposed: it answers reads, syncs and pings of its clients, and commits nothing.
  std::optional<deposition> deposed;
  touch_table touched;  ///< since the leader's last ping
  /// By session, as in the servers: an answer that comes late can answer a newer connection.
  std::map<std::int64_t, std::uint32_t> revalidating;

  /// It has no leader any more: what was under way to it and from it is gone.
  void forget_leader() {
    line.clear();
    touched.clear();
    revalidating.clear();
  }
  /// Not killed, not standing still, not cut off, and not a leader that was deposed.
  [[nodiscard]] bool can_vote() const noexcept { return !down && !frozen && !line.cut && !deposed; }
};

}  // namespace zklock::testing
