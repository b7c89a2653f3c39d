#pragma once

#include <cstdint>

#include "recipes/action.hpp"
#include "recipes/code.hpp"
#include "recipes/mark.hpp"
#include "recipes/wish.hpp"

namespace zklock::recipes {

/// A downgrade in Curator's layout, where a node's name says what it is: one transaction creates the reader at the writer's
/// own place and removes the writer, so that no contender sees the lock without either.
/// Source: Curator's InterProcessReadWriteLock, whose reader sorts right behind its own writer (since 5.5.0).
///
/// | state    | which node stands         | goes on with                                                             |
/// |----------|---------------------------|--------------------------------------------------------------------------|
/// | none     | the writer                | `begin`                                                                  |
/// | asked    | either                    | the answer: done, or it is there already: the reader; refused: the writer |
/// | owed     | the writer                | `connected`: asked. Nothing was applied                                  |
/// | in_doubt | either                    | `connected`: asked_again. The outcome of a transaction is unknown        |
/// | asked_again | either                 | the answer: as asked, but a refusal says nothing of the one before: in_doubt |
/// | done     | the reader; if the server forbids it, the writer |                                                   |
///
/// Where the answer is `no node`, neither stands: the hold is lost.
class curator_downgrade {
 public:
  enum class state : std::uint8_t { none, asked, owed, in_doubt, asked_again, done };

  wish begin(action_list& out);
  wish connected(action_list& out);
  wish answered(code answer);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] marking marks() const noexcept;

  bool operator==(const curator_downgrade&) const = default;

 private:
  wish send(state as, action_list& out);

  state state_ = state::none;
};

}  // namespace zklock::recipes
