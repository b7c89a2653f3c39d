#include "recipes/queue.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {

verdict mutex_policy(std::span<const std::string> children, std::string_view own) {
  using kind = verdict::kind;
  if (std::find(children.begin(), children.end(), own) == children.end()) {
    return {.says = kind::absent};
  }
  const auto mine = parse_contender_name(own);
  if (!mine || mine->sequence.value < 0 || mine->sequence.value >= sequence_limit) {
    return {.says = kind::exhausted};
  }
  verdict result{.says = kind::first};
  sequence_number nearest;
  for (const std::string& child : children) {
    const auto other = parse_contender_name(child);
    if (!other || child == own || other->sequence > mine->sequence) {
      continue;
    }
    if (other->kind == contender_kind::foreign) {
      return {.says = kind::wrong_recipe, .predecessor = child};
    }
    if (other->sequence == mine->sequence || other->sequence.value < 0) {
      return {.says = kind::exhausted, .predecessor = child};
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

std::vector<std::string> mutex_queue(std::vector<std::string> children) {
  struct numbered {
    sequence_number number;
    std::string name;
  };
  std::vector<numbered> queue;
  for (std::string& child : children) {
    const auto parsed = parse_contender_name(child);
    if (parsed && parsed->kind == contender_kind::mutex) {
      queue.push_back({parsed->sequence, std::move(child)});
    }
  }
  // Numbers can be tied at the counter's end (F47): then by name, so that every list of them has one order.
  std::sort(queue.begin(), queue.end(), [](const numbered& one, const numbered& other) {
    return std::tie(one.number, one.name) < std::tie(other.number, other.name);
  });
  std::vector<std::string> names;
  names.reserve(queue.size());
  for (numbered& one : queue) {
    names.push_back(std::move(one.name));
  }
  return names;
}

}  // namespace zklock::recipes
