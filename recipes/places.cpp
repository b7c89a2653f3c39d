#include "recipes/places.hpp"

#include "recipes/curator_semaphore.hpp"
#include "recipes/local_turns.hpp"

namespace zklock::recipes {

void place_plan::add(const acquire_spec& part) {
  const std::size_t step = places.empty() ? 0 : places.back().turn.step + 1;
  const place first{parts++, part, {}, {step}};
  if (part.kind == contender_kind::permit && part.as == layout::curator) {
    add_places_of_leases(first, *this);
  } else {
    places.push_back(first);
  }
  in_turn = in_turn || part.as == layout::curator;
  places.back().exclusive = may_take_turns(places.back().spec);
}

std::vector<place_turn> place_plan::turns() const {
  std::vector<place_turn> all;
  all.reserve(places.size());
  for (const place& one : places) {
    all.push_back(one.turn);
  }
  return all;
}

}  // namespace zklock::recipes
