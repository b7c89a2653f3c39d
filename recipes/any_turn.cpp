#include "recipes/any_turn.hpp"

namespace zklock::recipes {

any_turn turn_of(const claim& wanted, bool one_try) {
  const bool native = wanted.as == layout::native;
  switch (wanted.kind) {
    case contender_kind::read: return native ? any_turn(read_turn(one_try)) : curator_read_turn(one_try);
    case contender_kind::write: return native ? any_turn(write_turn(one_try)) : curator_write_turn(one_try);
    case contender_kind::permit: return permit_turn(wanted.permits, wanted.limit, wanted.agreed, one_try);
    case contender_kind::lease: return lease_turn(one_try);
    case contender_kind::mutex:
    case contender_kind::foreign: break;
  }
  return mutex_turn(one_try);
}

}  // namespace zklock::recipes
