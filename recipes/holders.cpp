#include "recipes/holders.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "recipes/contender.hpp"

namespace zklock::recipes {

namespace {

/// What was seen of one layout's contenders before the one in question.
struct seen_before {
  bool mutex = false;
  bool reader = false;
  bool writer = false;
  std::optional<sequence_number> number;  ///< of the last side of a read/write lock
  bool reader_at_number = false;
  bool writer_at_number = false;
  std::uint64_t permits = 0;
};

/// A reader of Curator's at a writer's own number is what that one goes on as: neither is before the other.
void come_to(const queued& one, seen_before& before) {
  const auto parsed = one.as == layout::curator ? parse_contender_name(one.name) : std::nullopt;
  const bool tied = parsed && before.number == parsed->sequence;
  if (!tied) {
    before.reader |= std::exchange(before.reader_at_number, false);
    before.writer |= std::exchange(before.writer_at_number, false);
  }
  before.number = parsed ? std::optional(parsed->sequence) : std::nullopt;
}

bool holds(const queued& one, seen_before& before, const std::optional<permit_limit>& limit,
           std::optional<std::uint32_t> lease_limit) {
  switch (kind_of(one)) {
    case contender_kind::mutex:
    case contender_kind::latch: return !std::exchange(before.mutex, true);  // a latch is a Curator's, a mutex a native
    case contender_kind::read:
      come_to(one, before);
      before.reader_at_number = true;
      return !before.writer;
    case contender_kind::write:
      come_to(one, before);
      return !std::exchange(before.writer_at_number, true) && !before.writer && !before.reader;
    case contender_kind::permit:
      before.permits += one.permits;
      return one.mode == contender_mode::granted || (limit && before.permits <= limit->limit);
    case contender_kind::lease:
      before.permits += one.permits;
      return one.permits > 0 && one.mode != contender_mode::permit &&
             before.permits <= lease_limit.value_or(UINT32_MAX);
    case contender_kind::foreign: break;
  }
  return false;
}

}  // namespace

std::vector<queued> queue_among(names_view children, std::optional<contender_kind> recipe, layout as) {
  struct numbered {
    sequence_number number;
    queued one;
  };
  std::vector<numbered> there;
  for (const std::string_view child : children) {
    const auto parsed = parse_contender_name(child);
    const auto sought = recipe ? std::optional(parsed_name{*recipe, {}, 0, as}) : parsed;
    if (parsed && of_one_recipe(*parsed, *sought)) {
      there.push_back({parsed->sequence,
                       {std::string(child), parsed->kind, parsed->permits, contender_mode::write, parsed->layout}});
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

bool stands_twice(const node_origin& first_in_line, const node_origin& last_lease) noexcept {
  return first_in_line.session != 0 && first_in_line.session == last_lease.session &&
         first_in_line.czxid < last_lease.czxid;
}

std::vector<bool> holders_of(std::span<const queued> queue, const std::optional<permit_limit>& limit,
                             std::optional<std::uint32_t> lease_limit) {
  seen_before natives;
  seen_before curators;
  std::vector<bool> result;
  result.reserve(queue.size());
  for (const queued& one : queue) {
    result.push_back(holds(one, one.as == layout::native ? natives : curators, limit, lease_limit));
  }
  return result;
}

bool bars(const contender& first, const contender& behind) noexcept {
  const acquire_spec& one = first.wanted();
  const acquire_spec& other = behind.wanted();
  const bool of_one_queue =
      of_one_recipe(one.kind, other.kind) && (one.kind == contender_kind::mutex || one.as == other.as);
  return of_one_queue &&
         ((holds_alone(one.kind) && first.mode() == contender_mode::write) || holds_alone(other.kind)) &&
         (one.kind != contender_kind::permit && one.kind != contender_kind::lease);
}

contender_kind kind_of(const queued& one) noexcept {
  const bool is_native = one.as == layout::native;  // Curator's says it by another node
  const bool downgraded = is_native && one.kind == contender_kind::write && one.mode == contender_mode::read;
  return downgraded ? contender_kind::read : one.kind;
}

}  // namespace zklock::recipes
