#include "recipes/queue.hpp"

#include <algorithm>

namespace zklock::recipes {

queue_view view_of(const round_answers& round, const own_node& own, std::string_view marked) noexcept {
  return {.children = round.children,
          .own = own.name,
          .marked = marked,
          .limit = round.limit.limit.value_or(permit_limit{}),
          .newest = round.changed != 0 && round.changed <= own.czxid,
          .index = round.index};
}

namespace {

/// What each contender of the own recipe that stands before the own one adds to the verdict.
void add(const parsed_name& before, std::string_view name, bool in_the_way, verdict& to, sequence_number& nearest) {
  to.permits_before += before.permits;
  if (!in_the_way) {
    return;
  }
  to.sole = to.says == verdict::kind::first;
  to.says = verdict::kind::behind;
  if (to.predecessor.empty() || before.sequence > nearest) {
    nearest = before.sequence;
    to.predecessor = name;
  }
}

/// A list that is shown to one contender.
verdict walk(const queue_view& seen, const parsed_name& mine, conflicts with) {
  using kind = verdict::kind;
  verdict result{.says = kind::first};
  sequence_number nearest;
  std::string_view of_another;  // recipe, before the own one
  for (const std::string_view child : seen.children) {
    const auto other = parse_contender_name(child);
    if (!other || child == seen.own) {
      continue;
    }
    const bool foreign = !of_one_recipe(*other, mine);
    result.mixed |= foreign;
    if (other->sequence > mine.sequence) {
      if (seen.newest) {
        return {.says = kind::exhausted};
      }
      result.followed |= !foreign;
    } else if (foreign) {
      of_another = child;
    } else if (other->sequence == mine.sequence || other->sequence.value < 0) {
      return {.says = kind::exhausted};
    } else {
      const bool in_the_way = with == conflicts::all || (other->kind == contender_kind::write && child != seen.marked);
      add(*other, child, in_the_way, result, nearest);
    }
  }
  return of_another.empty() ? result : verdict{.says = kind::wrong_recipe};
}

/// Of the writers before the own entry those that are not marked.
void count_writers(const queue_index& all, const queue_index::row& recipe, std::uint32_t own_at,
                   std::string_view marked, verdict& to) {
  const queue_index::entry& own = all[own_at];
  std::uint32_t nearest = own.nearest_writer;
  std::uint32_t several = own.writers_before;
  if (const auto passed = marked.empty() ? std::nullopt : parse_contender_name(marked)) {
    const std::uint32_t at = all.find(marked, *passed);
    if (at >= recipe.first && at < own_at && all[at].writes) {
      nearest = at == nearest ? all[at].nearest_writer : nearest;
      --several;
    }
  }
  if (several > 0) {
    to.says = verdict::kind::behind;
    to.sole = several == 1;
    to.predecessor = all.name(nearest);
  }
}

/// The same as the walk, of a list that is shown to many.
verdict look_up(const queue_view& seen, const parsed_name& mine, conflicts with) {
  using kind = verdict::kind;
  const queue_index& all = *seen.index;
  const std::uint32_t at = all.find(seen.own, mine);
  const queue_index::row row = all.recipe_of(mine);
  const auto others = all.least_of_others(mine);
  if (row.is_tied(at) || row.least().value < 0 || (seen.newest && *all.greatest() > mine.sequence)) {
    return {.says = kind::exhausted};
  }
  if (others && *others <= mine.sequence) {
    return {.says = kind::wrong_recipe};
  }
  verdict result{.says = kind::first};
  result.mixed = others.has_value();
  result.followed = at + 1 < row.last;
  result.permits_before = all[at].permits_before;
  if (with == conflicts::unmarked_writers) {
    count_writers(all, row, at, seen.marked, result);
  } else if (at > row.first) {
    result.says = kind::behind;
    result.sole = at - row.first == 1;
    result.predecessor = all.name(at - 1);
  }
  return result;
}

}  // namespace

verdict look_at(const queue_view& seen, conflicts with) {
  if (!is_listed(seen)) {
    return {.says = verdict::kind::absent};
  }
  const auto mine = parse_contender_name(seen.own);
  if (!mine || mine->sequence.value < 0 || mine->sequence.value >= sequence_limit) {
    return {.says = verdict::kind::exhausted};
  }
  return seen.index != nullptr ? look_up(seen, *mine, with) : walk(seen, *mine, with);
}

bool is_listed(const queue_view& seen) noexcept {
  const auto mine = seen.index != nullptr ? parse_contender_name(seen.own) : std::nullopt;
  return mine ? seen.index->find(seen.own, *mine) != queue_index::none
              : std::find(seen.children.begin(), seen.children.end(), seen.own) != seen.children.end();
}

bool has_greater_number(const queue_view& seen) noexcept {
  const auto mine = parse_contender_name(seen.own);
  if (!mine) {
    return false;
  }
  if (seen.index != nullptr) {
    const auto greatest = seen.index->greatest();
    return greatest && *greatest > mine->sequence;
  }
  return std::any_of(seen.children.begin(), seen.children.end(), [&mine](std::string_view child) {
    const auto other = parse_contender_name(child);
    return other && other->sequence > mine->sequence;
  });
}

bool numbered_by_one_leader(fencing_token earlier, fencing_token later) noexcept {
  constexpr int below_epoch = 32;
  return earlier.czxid != 0 && later.czxid != 0 && earlier.czxid >> below_epoch == later.czxid >> below_epoch;
}

std::optional<decision> what_bars(const verdict& seen, const round_answers& round) noexcept {
  switch (seen.says) {
    case verdict::kind::absent: return decision{decision::kind::start_over};
    case verdict::kind::exhausted: return refuse(refusal::exhausted);
    case verdict::kind::wrong_recipe: return refuse(refusal::wrong_recipe);
    default: break;
  }
  return round.mixed_beside ? std::optional(refuse(refusal::wrong_recipe)) : std::nullopt;
}

std::optional<decision> unless_it_waits(const verdict& seen, const round_answers& round, bool one_try) noexcept {
  if (const auto barred = what_bars(seen, round)) {
    return barred;
  }
  if (seen.says == verdict::kind::first) {
    return decision{decision::kind::pass};
  }
  return one_try ? std::optional(refuse(refusal::not_in_time)) : std::nullopt;
}

}  // namespace zklock::recipes
