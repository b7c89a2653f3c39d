#include "recipes/mutex.hpp"

namespace zklock::recipes {

verdict mutex_policy(const queue_view& seen) { return look_at(seen, conflicts::all); }

wish mutex_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  const verdict seen = mutex_policy(view_of(round, own));
  if (const auto barred = what_bars(seen, round)) {
    return *barred;
  }
  if (seen.says == verdict::kind::first) {
    return {wish::kind::pass};
  }
  if (one_try_) {
    return refuse(refusal::not_in_time);
  }
  return follow(seen, round, own, out);
}

wish mutex_turn::on(const event::predecessor_watched& told, const own_node& own, action_list&) {
  return behind_.watched({.code = told.code, .same_session = told.same_session}, own);
}

}  // namespace zklock::recipes
