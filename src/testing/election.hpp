#pragma once

#include "src/testing/world.hpp"

namespace zklock::testing {

/// Servers that leave, lead, and come back.
class election {
 public:
  explicit election(world& of) noexcept : w_(of) {}

  /// The servers that can vote choose a leader, the first of them.
  void elect();
  /// A server finds the leader that there is, takes over what it has missed, and serves again.
  void rejoin(server& s);
  void give_leader_up(server& follower);
  /// The followers leave their leader without a word, and elect another one.
  void depose_leader();
  void kill(server& s);
  void restart(server& s);
  void lose_data();
  /// After it stood still.
  void resume(server& s);

 private:
  void lose_leader();
  void depose(server& s);
  [[nodiscard]] instant step_down_time() const { return w_.now + w_.with.sync_limit * instant(w_.with.tick); }

  world& w_;
};

}  // namespace zklock::testing
