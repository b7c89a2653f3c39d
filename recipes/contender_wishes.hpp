#pragma once

#include "recipes/contender.hpp"

/// What becomes of what the parts of a contender want.
namespace zklock::recipes::wishes {

void drop_watches(contender_parts& parts, action_list& out);
/// The caller has one answer.
void answer(contender_parts& parts, const wish& refused, action_list& out);
void look(contender_parts& parts, const session_queue& beside, action_list& out);
void carry_out(contender_parts& parts, const wish& next, const session_queue& beside, action_list& out);
/// The look at the queue has ended, and the own node is known.
void decide(contender_parts& parts, round_answers all, const session_queue& beside, action_list& out);

/// Whether a create need not be followed by a list: a contender of the own session is most likely right before it.
[[nodiscard]] bool goes_without_list(const contender_parts& parts, const session_queue& beside);
/// Its node is there, and no list was asked for: the numbers say whether one is needed.
[[nodiscard]] wish without_list(contender_parts& parts, const session_queue& beside, action_list& out);

}  // namespace zklock::recipes::wishes
