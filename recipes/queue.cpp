#include "recipes/queue.hpp"

#include <algorithm>

namespace zklock::recipes {

queue_view view_of(const round_answers& round, const own_node& own, std::string_view marked) noexcept {
  return {.children = round.children,
          .own = own.name,
          .marked = marked,
          .limit = round.limit.limit.value_or(permit_limit{}),
          .newest = round.changed != 0 && round.changed <= own.czxid};
}

verdict walk(const queue_view& seen, const conflict_rule& conflicts) {
  using kind = verdict::kind;
  if (std::find(seen.children.begin(), seen.children.end(), seen.own) == seen.children.end()) {
    return {.says = kind::absent};
  }
  const auto mine = parse_contender_name(seen.own);
  if (!mine || mine->sequence.value < 0 || mine->sequence.value >= sequence_limit) {
    return {.says = kind::exhausted};
  }
  verdict result{.says = kind::first};
  sequence_number nearest;
  for (const std::string_view child : seen.children) {
    const auto other = parse_contender_name(child);
    if (!other || child == seen.own) {
      continue;
    }
    const bool foreign = !of_one_recipe(*other, *mine);
    result.mixed |= foreign;
    if (other->sequence > mine->sequence) {
      if (seen.newest) {
        return {.says = kind::exhausted, .predecessor = child};
      }
      result.followed |= !foreign;
      continue;
    }
    if (foreign) {
      return {.says = kind::wrong_recipe, .predecessor = child};
    }
    if (other->sequence == mine->sequence || other->sequence.value < 0) {
      return {.says = kind::exhausted, .predecessor = child};
    }
    if (!conflicts(*other, child)) {
      continue;
    }
    result.sole = result.says == kind::first;
    result.says = kind::behind;
    if (result.predecessor.empty() || other->sequence > nearest) {
      nearest = other->sequence;
      result.predecessor = child;
    }
  }
  return result;
}

bool has_greater_number(names_view children, std::string_view own) noexcept {
  const auto mine = parse_contender_name(own);
  return mine && std::any_of(children.begin(), children.end(), [&mine](std::string_view child) {
           const auto other = parse_contender_name(child);
           return other && other->sequence > mine->sequence;
         });
}

bool numbered_by_one_leader(fencing_token earlier, fencing_token later) noexcept {
  constexpr int below_epoch = 32;
  return earlier.czxid != 0 && later.czxid != 0 && earlier.czxid >> below_epoch == later.czxid >> below_epoch;
}

std::optional<wish> what_bars(const verdict& seen, const round_answers& round) noexcept {
  switch (seen.says) {
    case verdict::kind::absent: return wish{wish::kind::start_over};
    case verdict::kind::exhausted: return refuse(refusal::exhausted);
    case verdict::kind::wrong_recipe: return refuse(refusal::wrong_recipe);
    default: break;
  }
  return round.mixed_beside ? std::optional(refuse(refusal::wrong_recipe)) : std::nullopt;
}

}  // namespace zklock::recipes
