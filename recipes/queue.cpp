#include "recipes/queue.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace zklock::recipes {

namespace {

using kind = verdict::kind;

/// One walk over the list, the same for every recipe. `conflicts(parsed, name)`: whether one that stands before the own
/// contender, and is of its recipe, has to go first; each of them is shown once.
template <class Conflicts>
verdict walk(const queue_view& seen, Conflicts conflicts) {
  if (std::find(seen.children.begin(), seen.children.end(), seen.own) == seen.children.end()) {
    return {.says = kind::absent};
  }
  const auto mine = parse_contender_name(seen.own);
  if (!mine || mine->sequence.value < 0 || mine->sequence.value >= sequence_limit) {
    return {.says = kind::exhausted};
  }
  verdict result{.says = kind::first};
  sequence_number nearest;
  for (const std::string& child : seen.children) {
    const auto other = parse_contender_name(child);
    if (!other || child == seen.own) {
      continue;
    }
    const bool foreign = !of_one_recipe(*other, *mine);
    result.mixed |= foreign;
    if (other->sequence > mine->sequence) {
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

constexpr auto everybody = [](const parsed_name&, std::string_view) { return true; };

}  // namespace

verdict mutex_policy(const queue_view& seen) { return walk(seen, everybody); }

verdict write_policy(const queue_view& seen) { return walk(seen, everybody); }

verdict read_policy(const queue_view& seen) {
  return walk(seen, [&seen](const parsed_name& other, std::string_view name) {
    return other.kind == contender_kind::write && name != seen.marked;
  });
}

verdict permit_policy(const queue_view& seen) {
  std::uint64_t before = 0;  // permits of all who came earlier
  verdict result = walk(seen, [&before](const parsed_name& other, std::string_view) {
    before += other.permits;
    return true;
  });
  if (result.says != kind::first && result.says != kind::behind) {
    return result;
  }
  const std::uint32_t mine = parse_contender_name(seen.own)->permits;
  if (before + mine <= seen.limit.limit) {
    result.says = kind::first;
    return result;
  }
  const bool behind_holders = before <= seen.limit.was || result.predecessor == seen.marked;
  if (behind_holders) {
    result.says = mine > seen.limit.limit ? kind::never : kind::next;
  }
  return result;
}

verdict lease_policy(const queue_view& seen) {
  if (std::find(seen.children.begin(), seen.children.end(), seen.own) == seen.children.end()) {
    return {.says = kind::absent};  // counted only when it is there: another one would be let in beside it
  }
  return {.says = seen.children.size() <= seen.limit.limit ? kind::first : kind::next};
}

queue_policy policy_of(contender_kind of) noexcept {
  switch (of) {
    case contender_kind::read: return read_policy;
    case contender_kind::write: return write_policy;
    case contender_kind::permit: return permit_policy;
    case contender_kind::lease: return lease_policy;
    case contender_kind::mutex:
    case contender_kind::foreign: break;
  }
  return mutex_policy;
}

}  // namespace zklock::recipes
