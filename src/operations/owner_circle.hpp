#pragma once

#include <optional>

#include "src/engine/failure.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

class acquire;

/// Whether a call that waits would wait for itself: in a circle of this session's owners, each of which waits, without a time
/// limit, for what the next one has. Nothing: no. Else what its caller is told.
///
/// An edge: a contender stands before another one at one lock node, and bars it by its kind; it is a hold of an owner, without
/// a bound, or belongs to a call that waits itself. All edges are read in one call on the strand, where an owner's release
/// comes before its next call: a circle that is found stands at this instant, and no clock ends it.
///
/// None is missed that is closed by a call of an owner who holds: contenders of a session get their names in the order of
/// their creates, so behind the answer that names the last one of a circle all of its edges are there. Not looked at: what has
/// no owner, permits, other sessions; and a circle of whose owners one has another call here that is not answered.
///
/// Cost: it goes from what the owner has to those who wait behind that. A call whose owner has nothing else costs nothing more
/// than a look at the holders, however many wait beside it.
[[nodiscard]] std::optional<detail::failure> circle_of(const acquire& call, const session_nodes& among,
                                                       engine::instant now);

}  // namespace zklock::operations
