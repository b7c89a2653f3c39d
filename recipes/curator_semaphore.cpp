#include "recipes/curator_semaphore.hpp"

#include <algorithm>
#include <utility>

namespace zklock::recipes {

verdict lease_policy(const queue_view& seen) {
  if (std::find(seen.children.begin(), seen.children.end(), seen.own) == seen.children.end()) {
    return {.says = verdict::kind::absent};  // counted only when it is there: another one would be let in beside it
  }
  return {.says = seen.children.size() <= seen.limit.limit ? verdict::kind::first : verdict::kind::next};
}

wish lease_turn::decide(const round_answers& round, const own_node& own, action_list&) {
  const verdict seen =
      lease_policy({.children = round.children, .own = own.name, .limit = round.limit.limit.value_or(permit_limit{})});
  if (const auto barred = what_bars(seen, round)) {
    return *barred;
  }
  if (seen.says == verdict::kind::first) {
    return {wish::kind::pass};
  }
  if (one_try_) {
    return refuse(refusal::not_in_time);
  }
  next_ = round.watched;
  return {next_ ? wish::kind::wait : wish::kind::look_with_watches};
}

wish lease_turn::on(const event::children_changed&, const own_node&, action_list&) {
  return std::exchange(next_, false) ? wish{wish::kind::look_with_watches} : wish{};
}

wish lease_turn::on(const event::own_gone&, const own_node&, action_list&) { return {wish::kind::start_over}; }

}  // namespace zklock::recipes
