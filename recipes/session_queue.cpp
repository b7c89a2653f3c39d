#include "recipes/session_queue.hpp"

#include <algorithm>
#include <string>

#include "recipes/contender.hpp"
#include "recipes/queue.hpp"

namespace zklock::recipes {
namespace {

/// The number of the contender of this session that it waits behind. Nothing: it does not wait so.
std::optional<std::int32_t> number_waited_for(const contender& one) {
  const std::string& before = one.predecessor();
  const auto parsed = one.waits_behind(before) ? parse_contender_name(before) : std::nullopt;
  return parsed ? std::optional(parsed->sequence.value) : std::nullopt;
}

}  // namespace

void session_queue::update(const contender& one, std::uint64_t number) {
  switch (one.now()) {
    case contender::state::unsettled:
    case contender::state::searching:
    case contender::state::settling: return;  // its name may turn out to be another one
    default: break;
  }
  const auto unnamed =
      std::find_if(unnamed_.begin(), unnamed_.end(), [number](const entry& other) { return other.number == number; });
  if (one.own().empty()) {
    if (unnamed == unnamed_.end() && one.now() == contender::state::entering) {
      unnamed_.push_back({&one, number});
    }
    return;
  }
  if (unnamed != unnamed_.end()) {
    unnamed_.erase(unnamed);
  }
  const auto parsed = parse_contender_name(one.own());
  if (!parsed) {
    return;
  }
  const auto place = named_.try_emplace(parsed->sequence.value, entry{&one, number}).first;
  if (place->second.number == number) {
    note_waited_for(place, number_waited_for(one));
  }
}

void session_queue::note_waited_for(by_sequence::iterator place, std::optional<std::int32_t> number) {
  std::optional<std::int32_t>& before = place->second.waited_for;
  if (before == number) {
    return;
  }
  if (before) {
    waiters_.erase({*before, place->first});
  }
  if (number) {
    waiters_.emplace(*number, place->first);
  }
  before = number;
}

void session_queue::remove(const contender& one, std::uint64_t number) {
  if (const auto found = place_of(one.own()); found != named_.end() && found->second.number == number) {
    note_waited_for(named_.find(found->first), std::nullopt);
    named_.erase(found);
  } else {
    std::erase_if(unnamed_, [number](const entry& other) { return other.number == number; });
  }
}

bool session_queue::ends_exclusively() const {
  if (!unnamed_.empty()) {
    const contender& last = *unnamed_.back().machine;
    return last.now() == contender::state::entering && last.is_exclusive();
  }
  return !named_.empty() && named_.rbegin()->second.machine->has_node() &&
         named_.rbegin()->second.machine->is_exclusive();
}

const contender* session_queue::right_before(std::string_view name) const {
  const auto parsed = parse_contender_name(name);
  if (!parsed || parsed->sequence.value < 1 || parsed->sequence.value >= sequence_limit) {
    return nullptr;
  }
  const auto found = named_.find(parsed->sequence.value - 1);
  if (found == named_.end()) {
    return nullptr;
  }
  const contender& before = *found->second.machine;
  const auto its = parse_contender_name(before.own());
  return before.has_node() && before.is_exclusive() && its && of_one_recipe(*its, *parsed) ? &before : nullptr;
}

session_queue::by_sequence::const_iterator session_queue::place_of(std::string_view name) const {
  const auto parsed = parse_contender_name(name);
  const auto found = parsed ? named_.find(parsed->sequence.value) : named_.end();
  return found == named_.end() || found->second.machine->own() == name ? found : named_.end();
}

const session_queue::entry* session_queue::find(std::string_view name) const {
  const auto found = place_of(name);
  return found == named_.end() ? nullptr : &found->second;
}

std::vector<session_queue::entry> session_queue::behind(std::string_view name) const {
  std::vector<entry> out;
  const auto parsed = parse_contender_name(name);
  if (!parsed) {
    return out;
  }
  const std::int32_t number = parsed->sequence.value;
  for (auto next = waiters_.lower_bound({number, INT32_MIN}); next != waiters_.end() && next->first == number; ++next) {
    if (const entry& waiter = named_.at(next->second); waiter.machine->waits_behind(name)) {
      out.push_back(waiter);
    }
  }
  return out;
}

const session_queue::entry* session_queue::next_behind(std::string_view name) const {
  const auto found = place_of(name);
  if (found == named_.end() || std::next(found) == named_.end()) {
    return nullptr;
  }
  const entry& next = std::next(found)->second;
  return next.machine->waits_behind(name) ? &next : nullptr;
}

}  // namespace zklock::recipes
