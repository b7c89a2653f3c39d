#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/loss/observed_hold.hpp"
#include "tests/loss/way_to_lose.hpp"

namespace zklock::test {

/// What one trial has seen. Instants are of one clock, that of this machine.
struct findings {
  instant fault{};
  hold_record holder;
  std::chrono::nanoseconds margin{};  ///< the least that the session has named before the fault
  bool survived = false;
  std::optional<instant> deleted;    ///< the node, by the word of a server to an onlooker
  instant granted{};                 ///< the next in line
  std::optional<instant> continued;  ///< the holder's process, when it was stopped
  std::optional<instant> back;       ///< the loser has a grant again, behind the next in line

  // What calls have said, each in a few words.
  std::string reentry_at_the_fault;
  std::string reentry_after_the_loss;
  std::string elsewhere_at_the_fault;  ///< acquiring another lock, a free one, for a third of the timeout
  std::string fellow;                  ///< the waiter for another lock in the same session

  /// What must not be. Empty when all is well.
  std::vector<std::string> violations;
};

/// And the servers have ended the session by its timeout: the margin lies between.
[[nodiscard]] inline bool ended_by_the_deadline(const way_to_lose& way, const findings& found) {
  return !way.by_force && !found.survived && found.holder.reason == loss_reason::deadline_passed;
}

}  // namespace zklock::test
