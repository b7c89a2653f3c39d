#include "recipes/curator_semaphore.hpp"

#include <cstdint>
#include <utility>

namespace zklock::recipes {

acquire_spec spec_of_unowned_mutex(acquire_spec in) noexcept {
  if (in.as == layout::curator) {
    in.kind = contender_kind::permit;
    in.limit = 1;
  }
  return in;
}

void add_places_of_leases(const place& first, place_plan& to) {
  const acquire_spec& wanted = first.spec;
  const place_turn leases{first.turn.step + 1};
  const acquire_spec mutex{contender_kind::mutex, 1, 0, false, wanted.as, true};
  acquire_spec lease{contender_kind::lease, 1, UINT32_MAX, true, wanted.as, true};
  to.places.push_back({first.part, mutex, curator_locks, {first.turn.step, true}});
  for (std::uint32_t permit = 1; permit < wanted.permits; ++permit) {
    to.places.push_back({first.part, lease, curator_leases, leases});
  }
  lease.limit = wanted.limit;  // the last one is made behind all others: it counts, and waits, for all
  to.places.push_back({first.part, lease, curator_leases, leases});
}

verdict lease_policy(const queue_view& seen) {
  if (!is_listed(seen)) {
    return {.says = verdict::kind::absent};  // counted only when it is there: another one would be let in beside it
  }
  return {.says = seen.children.size() <= seen.limit.limit ? verdict::kind::first : verdict::kind::next};
}

decision lease_turn::decide(const round_answers& round, const own_node& own, action_list&) {
  const verdict seen = lease_policy(view_of(round, own));
  if (const auto at_once = unless_it_waits(seen, round, one_try_)) {
    return *at_once;
  }
  next_ = round.watched;
  return {next_ ? decision::kind::wait : decision::kind::look_with_watches};
}

decision lease_turn::on(const event::children_changed&, const own_node&, action_list&) {
  return std::exchange(next_, false) ? decision{decision::kind::look_with_watches} : decision{};
}

decision lease_turn::on(const event::own_gone&, const own_node&, action_list&) { return {decision::kind::start_over}; }

}  // namespace zklock::recipes
