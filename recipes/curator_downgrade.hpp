#pragma once

#include <cstdint>

#include "recipes/action.hpp"
#include "recipes/code.hpp"
#include "recipes/decision.hpp"
#include "recipes/mark.hpp"

namespace zklock::recipes {

/// A downgrade in Curator's layout, where a node's name says what it is: one transaction creates the reader at the writer's
/// own place and removes the writer, so that no contender sees the lock without either.
/// Source: Curator's InterProcessReadWriteLock, whose reader sorts right behind its own writer (since 5.5.0).
///
/// | state    | which node stands | goes on with                                                                       |
/// |----------|-------------------|------------------------------------------------------------------------------------|
/// | none     | the writer        | `begin`: asked                                                                     |
/// | asked    | either            | the answer: done; not applied: owed; unknown, or the reader is there: in_doubt     |
/// | owed     | the writer        | `connected`: asked                                                                 |
/// | in_doubt | either            | `connected`: looking                                                               |
/// | looking  | either            | the sync: synced. The get of the writer that was sent behind it: in_doubt          |
/// | synced   | either            | the get: the writer stands: asked; it does not: done; not answered: in_doubt       |
/// | done     | the reader, or, if the server forbids the downgrade, the writer: as its watch tells |                  |
///
/// It is never repeated before the look: a server that forbids the repeat would say nothing of the first one (F173).
/// Where the answer is `no node`, neither stands: the hold is lost.
class curator_downgrade {
 public:
  enum class state : std::uint8_t { none, asked, owed, in_doubt, looking, synced, done };

  decision begin(action_list& out);
  decision connected(action_list& out);
  decision answered(code answer);
  decision sync_answered(code answer);
  /// The get of the writer behind the sync.
  decision looked(code answer, action_list& out);

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] marking marks() const noexcept;

  bool operator==(const curator_downgrade&) const = default;

 private:
  decision send(action_list& out);

  state state_ = state::none;
};

}  // namespace zklock::recipes
