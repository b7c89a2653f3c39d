#include "recipes/queue_index.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace zklock::recipes {

/// Two names have one number if they are `of_one_recipe`. Of foreign ones none is of one recipe with another; their number is
/// the last.
std::size_t queue_index::number_of(const parsed_name& one) noexcept {
  switch (one.kind) {
    case contender_kind::mutex: return 0;
    case contender_kind::read:
    case contender_kind::write: return one.layout == layout::native ? 1 : 2;
    case contender_kind::permit: return 3;
    case contender_kind::lease: return 4;
    case contender_kind::latch: return 5;
    case contender_kind::foreign: break;
  }
  return recipes_max - 1;
}

queue_index::queue_index(names_view children) : children_(children) {
  std::array<std::vector<entry>, recipes_max> rows;
  for (std::uint32_t place = 0; place < children.size(); ++place) {
    if (const auto parsed = parse_contender_name(children[place])) {
      rows[number_of(*parsed)].push_back(
          {parsed->sequence, place, 0, none, parsed->permits, parsed->kind == contender_kind::write});
    }
  }
  entries_.reserve(children.size());
  for (std::size_t number = 0; number < recipes_max; ++number) {
    std::sort(rows[number].begin(), rows[number].end(), [](const entry& one, const entry& other) {
      return one.number != other.number ? one.number < other.number : one.place > other.place;  // as the walk has it
    });
    std::uint32_t writers = 0;
    std::uint32_t nearest = none;
    std::uint64_t permits = 0;
    for (entry one : rows[number]) {
      one.writers_before = writers;
      one.nearest_writer = nearest;
      permits += std::exchange(one.permits_before, permits);
      if (one.writes) {
        ++writers;
        nearest = static_cast<std::uint32_t>(entries_.size());
      }
      entries_.push_back(one);
    }
    starts_[number + 1] = static_cast<std::uint32_t>(entries_.size());
  }
}

bool queue_index::row::is_tied(std::uint32_t at) const {
  const auto has_number_of_it = [this, at](std::uint32_t other) {
    return of->entries_[other].number == of->entries_[at].number;
  };
  return (at > first && has_number_of_it(at - 1)) || (at + 1 < last && has_number_of_it(at + 1));
}

std::uint32_t queue_index::find(std::string_view name, const parsed_name& as) const {
  const row its = recipe_of(as);
  const auto begin = entries_.begin();
  auto found = std::lower_bound(begin + its.first, begin + its.last, as.sequence,
                                [](const entry& one, sequence_number number) { return one.number < number; });
  for (; found != begin + its.last && found->number == as.sequence; ++found) {
    if (children_[found->place] == name) {
      return static_cast<std::uint32_t>(found - begin);
    }
  }
  return none;
}

std::uint32_t queue_index::place_of_prefix(std::string_view prefix) const {
  const auto name_of = [this](std::uint32_t place) { return children_[place]; };
  if (by_name_.empty()) {
    by_name_.resize(children_.size());
    std::iota(by_name_.begin(), by_name_.end(), 0U);
    std::ranges::sort(by_name_, {}, name_of);
  }
  const auto found = std::ranges::lower_bound(by_name_, prefix, {}, name_of);
  return found != by_name_.end() && name_of(*found).starts_with(prefix) ? *found : none;
}

queue_index::row queue_index::recipe_of(const parsed_name& one) const { return recipe(number_of(one)); }

std::optional<sequence_number> queue_index::least_of_others(const parsed_name& one) const {
  std::optional<sequence_number> least;
  for (std::size_t number = 0; number < recipes_max; ++number) {
    const row other = recipe(number);
    if (number != number_of(one) && !other.empty()) {
      least = least ? std::min(*least, other.least()) : other.least();
    }
  }
  return least;
}

std::optional<sequence_number> queue_index::greatest() const {
  std::optional<sequence_number> greatest;
  for (std::size_t number = 0; number < recipes_max; ++number) {
    if (const row one = recipe(number); !one.empty()) {
      greatest = greatest ? std::max(*greatest, one.greatest()) : one.greatest();
    }
  }
  return greatest;
}

}  // namespace zklock::recipes
