#pragma once

#include <deque>

#include "src/testing/messages.hpp"
#include "src/testing/step.hpp"

namespace zklock::testing {

/// What passes between one server and the leader. The leader has one to itself, on which nothing waits.
struct leader_line {
  bool cut = false;
  bool lagging = false;  ///< the leader's messages stay under way
  bool unheard = false;  ///< the server's messages to the leader stay under way
  std::deque<to_leader> up;
  std::deque<from_leader> down;
  instant heard_leader{0};

  /// Nothing is under way any more.
  void clear() noexcept {
    up.clear();
    down.clear();
  }
  void restore() noexcept { cut = lagging = unheard = false; }
  [[nodiscard]] bool disturbed() const noexcept { return cut || lagging || unheard; }
};

}  // namespace zklock::testing
