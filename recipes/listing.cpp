#include "recipes/listing.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace zklock::recipes {

std::vector<queued> queue_among(std::vector<std::string> children, std::optional<contender_kind> recipe) {
  struct numbered {
    sequence_number number;
    queued one;
  };
  std::vector<numbered> there;
  for (std::string& child : children) {
    const auto parsed = parse_contender_name(child);
    if (parsed && of_one_recipe(parsed->kind, recipe.value_or(parsed->kind))) {
      there.push_back({parsed->sequence, {std::move(child), parsed->kind, parsed->permits}});
    }
  }
  // Numbers can be tied at the counter's end (F47): then by name, so that every list of them has one order.
  std::sort(there.begin(), there.end(), [](const numbered& one, const numbered& other) {
    return std::tie(one.number, one.one.name) < std::tie(other.number, other.one.name);
  });
  std::vector<queued> queue;
  queue.reserve(there.size());
  for (numbered& one : there) {
    queue.push_back(std::move(one.one));
  }
  return queue;
}

std::vector<bool> holders_of(std::span<const queued> queue, const std::optional<permit_limit>& limit) {
  bool mutex_seen = false;
  bool reader_seen = false;
  bool writer_seen = false;
  std::uint64_t permits = 0;
  std::vector<bool> holds;
  holds.reserve(queue.size());
  for (const queued& one : queue) {
    bool has = false;
    switch (kind_of(one)) {
      case contender_kind::mutex: has = !std::exchange(mutex_seen, true); break;
      case contender_kind::read:
        reader_seen = true;
        has = !writer_seen;
        break;
      case contender_kind::write: has = !std::exchange(writer_seen, true) && !reader_seen; break;
      case contender_kind::permit:
        permits += one.permits;
        has = one.mode == contender_mode::granted || (limit && permits <= limit->limit);
        break;
      case contender_kind::lease: has = true; break;
      case contender_kind::foreign: break;
    }
    holds.push_back(has);
  }
  return holds;
}

contender_kind kind_of(const queued& one) noexcept {
  const bool downgraded = one.kind == contender_kind::write && one.mode == contender_mode::read;
  return downgraded ? contender_kind::read : one.kind;
}

}  // namespace zklock::recipes
