#include "recipes/session_queue.hpp"

#include "recipes/contender.hpp"
#include "recipes/queue.hpp"

namespace zklock::recipes {
namespace {

/// The number of the contender of this session that it waits behind. Nothing: it does not wait so.
std::optional<std::int32_t> number_waited_for(const contender& one) {
  const std::string_view before = one.predecessor();
  const auto parsed = one.waits_behind(before) ? parse_contender_name(before) : std::nullopt;
  return parsed ? std::optional(parsed->sequence.value) : std::nullopt;
}

}  // namespace

void session_queue::update(member& of) {
  const contender& one = *of.machine;
  switch (one.life()) {
    case node_life::state::unsettled:
    case node_life::state::searching:
    case node_life::state::settling: return;  // its name may turn out to be another one
    default: break;
  }
  if (of.named || enter(of)) {
    note_waited_for(of, number_waited_for(one));
    note_list(of, one.list_under_way());
  }
}

bool session_queue::enter(member& of) {
  const contender& one = *of.machine;
  if (one.own().empty()) {
    const bool enters = one.life() == node_life::state::entering && !of.sequence_hook::is_linked();
    if (enters) {
      of.sequence = unnamed_.empty() ? 0 : unnamed_.rbegin()->sequence + 1;
      unnamed_.insert(unnamed_.end(), of);
    }
    return of.sequence_hook::is_linked();
  }
  of.sequence_hook::unlink();
  const auto parsed = parse_contender_name(one.own());
  if (!parsed) {
    note_list(of, false);
    return false;
  }
  of.sequence = parsed->sequence.value;
  of.named = true;
  named_.insert(of);
  return true;
}

void session_queue::note_list(entry& of, bool under_way) noexcept {
  lists_under_way_ += static_cast<std::size_t>(under_way) - static_cast<std::size_t>(of.lists);
  of.lists = under_way;
}

void session_queue::note_waited_for(member& of, std::optional<std::int32_t> number) {
  if (of.waited_for == number) {
    return;
  }
  of.waiter_hook::unlink();
  of.waited_for = number;
  if (number) {
    waiters_.insert(of);
  }
}

void session_queue::remove(member& of) {
  if (const std::optional<alone> left = of.machine->left_alone()) {
    last_alone_ = left;
  } else if (of.named && last_alone_) {
    last_alone_->in_row = false;  // a number has gone by
  }
  note_waited_for(of, std::nullopt);
  note_list(of, false);
  of.sequence_hook::unlink();
  of.named = false;
}

std::int64_t session_queue::next_is_alone_in() const {
  if (!unnamed_.empty()) {
    return 0;
  }
  if (named_.empty()) {
    return last_alone_ && last_alone_->in_row ? last_alone_->lock_node : 0;
  }
  const bool is_only = std::next(named_.begin()) == named_.end();
  const std::optional<alone> leaves = is_only ? named_.begin()->machine->leaves_alone() : std::nullopt;
  return leaves && leaves->in_row ? leaves->lock_node : 0;
}

std::int64_t session_queue::alone_in(std::string_view name, fencing_token token) const {
  const bool one_leader = last_alone_ && numbered_by_one_leader(last_alone_->token, token);
  const auto parsed = one_leader ? parse_contender_name(name) : std::nullopt;
  const bool is_next =
      parsed && parsed->sequence.value == last_alone_->number + 1 && parsed->sequence.value < sequence_limit;
  return is_next ? last_alone_->lock_node : 0;
}

bool session_queue::in_row(std::string_view name) const {
  const auto parsed = last_alone_ ? parse_contender_name(name) : std::nullopt;
  return !parsed || parsed->sequence.value == last_alone_->number + 1;
}

bool session_queue::ends_exclusively() const {
  if (!unnamed_.empty()) {
    const contender& last = *unnamed_.rbegin()->machine;
    return last.life() == node_life::state::entering && last.is_exclusive();
  }
  return !named_.empty() && named_.rbegin()->machine->has_node() && named_.rbegin()->machine->is_exclusive();
}

const contender* session_queue::right_before(std::string_view name) const {
  const auto parsed = parse_contender_name(name);
  if (!parsed || parsed->sequence.value < 1 || parsed->sequence.value >= sequence_limit) {
    return nullptr;
  }
  const std::int32_t number = parsed->sequence.value - 1;
  const auto found = named_.lower_bound({number, 0});
  const auto behind = named_.lower_bound({number + 1, 0});
  if (found == behind || std::next(found) != behind) {
    return nullptr;  // there is none, or one of an earlier lock node beside it
  }
  const contender& before = *found->machine;
  const auto its = parse_contender_name(before.own());
  return before.has_node() && before.is_exclusive() && its && of_one_recipe(*its, *parsed) ? &before : nullptr;
}

session_queue::by_sequence::const_iterator session_queue::named_of(std::string_view name) const {
  const auto parsed = parse_contender_name(name);
  if (!parsed) {
    return named_.end();
  }
  const std::int32_t number = parsed->sequence.value;
  for (auto at = named_.lower_bound({number, 0}); at != named_.end() && at->sequence == number; ++at) {
    if (at->machine->own() == name) {
      return at;
    }
  }
  return named_.end();
}

const session_queue::entry* session_queue::find(std::string_view name) const {
  const auto found = named_of(name);
  return found == named_.end() ? nullptr : &*found;
}

template <class Use>
void session_queue::for_each_behind(std::string_view name, place last, Use&& use) const {
  const auto parsed = waiters_.empty() ? std::nullopt : parse_contender_name(name);
  if (!parsed) {
    return;
  }
  const std::int32_t number = parsed->sequence.value;
  const auto end = waiters_.upper_bound({number, INT32_MAX, UINT64_MAX});
  for (auto at = waiters_.upper_bound({number, last.first, last.second}); at != end; ++at) {
    if (at->machine->waits_behind(name) && use(*at)) {
      return;
    }
  }
}

const session_queue::entry* session_queue::first_behind(std::string_view name) const {
  const entry* first = nullptr;
  for_each_behind(name, {INT32_MIN, 0}, [&first](const entry& waiter) {
    first = &waiter;
    return true;
  });
  return first;
}

bool session_queue::concerns_others(const contender& one) const {
  bool any = false;
  for_each_behind(one.own(), {INT32_MIN, 0},
                  [&](const entry& waiter) { return any = waiter.machine->own() != one.successor(); });
  return any;
}

std::vector<std::uint64_t> session_queue::next_behind(place& after, std::size_t most) const {
  std::vector<std::uint64_t> found;
  for (auto at = named_.upper_bound(after); at != named_.end() && found.size() < most; ++at) {
    found.push_back(at->number);
    after = place_of(*at);
  }
  return found;
}

session_queue::news::news(const contender& one) : of(one.own()), passed_to(one.successor()) {}

std::vector<std::uint64_t> session_queue::told_by(news& what, std::size_t most) const {
  std::vector<std::uint64_t> told;
  for_each_behind(what.of, what.told_up_to, [&](const entry& waiter) {
    if (waiter.machine->own() != what.passed_to) {
      told.push_back(waiter.number);
      what.told_up_to = {waiter.sequence, waiter.number};
    }
    return told.size() == most;
  });
  return told;
}

}  // namespace zklock::recipes
