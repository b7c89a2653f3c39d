#pragma once

#include <cstdint>

#include "recipes/action.hpp"
#include "recipes/code.hpp"
#include "recipes/decision.hpp"

namespace zklock::recipes {

/// How far a change is that the contenders behind a holder have to see on its node.
enum class marking : std::uint8_t {
  none,    ///< nothing is to be said
  asked,   ///< the request is unanswered
  owed,    ///< it has failed: it goes on when there is a connection
  sought,  ///< it has failed: whether it is said all the same is asked
  done,    ///< it is said, or the server forbids it: then the contenders behind wait until the node goes
};

/// A mark in the own node's data: `mode=read` of a writer that was downgraded, `mode=granted` of a permit (F106).
///
///     none ── begin ──► asked ── answer ──► done         no node: the hold is lost
///                        ▲ └─ outcome unknown ──► owed
///                        └──────── connected ───────┘
class mark {
 public:
  void begin(action_list& out) {
    if (state_ == marking::none) {
      send(out);
    }
  }
  void connected(action_list& out) {
    if (state_ == marking::owed) {
      send(out);
    }
  }
  decision answered(code answer);

  [[nodiscard]] marking now() const noexcept { return state_; }

  bool operator==(const mark&) const = default;

 private:
  void send(action_list& out) {
    state_ = marking::asked;
    out.push(action::mark_own);
  }

  marking state_ = marking::none;
};

}  // namespace zklock::recipes
