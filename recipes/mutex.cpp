#include "recipes/mutex.hpp"

namespace zklock::recipes {

verdict mutex_policy(const queue_view& seen) { return look_at(seen, conflicts::all); }

decision mutex_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  const verdict seen = mutex_policy(view_of(round, own));
  if (seen.mixed) {
    out.push(action::warn_of_others);
  }
  if (const auto at_once = unless_it_waits(seen, round, one_try_)) {
    return *at_once;
  }
  return follow(seen, round, own, out);
}

}  // namespace zklock::recipes
