#include "recipes/semaphore.hpp"

#include <utility>

namespace zklock::recipes {

acquire_spec spec_of_permits(std::uint32_t permits, std::uint32_t limit, acquire_spec in) noexcept {
  in.kind = contender_kind::permit;
  in.permits = permits;
  in.limit = limit;
  return in;
}

verdict permit_policy(const queue_view& seen) {
  verdict result = look_at(seen, conflicts::all);
  if (result.says != verdict::kind::first && result.says != verdict::kind::behind) {
    return result;
  }
  const std::uint32_t mine = parse_contender_name(seen.own)->permits;
  if (result.permits_before + mine <= seen.limit.limit) {
    result.says = verdict::kind::first;
    return result;
  }
  const bool behind_holders = result.permits_before <= seen.limit.was || result.predecessor == seen.marked;
  if (behind_holders) {
    result.says = mine > seen.limit.limit ? verdict::kind::never : verdict::kind::next;
  }
  return result;
}

permit_turn::permit_turn(const acquire_spec& wanted, bool one_try) noexcept
    : permits_(wanted.permits), wanted_limit_(wanted.limit), agreed_(wanted.agreed), one_try_(one_try) {}

node_terms permit_turn::terms(const acquire_spec& wanted) noexcept {
  node_terms terms{
      .makes_lock_node = false, .lock_node_stays = true, .reads_limit = true, .mark = mark_meaning::granted};
  if (wanted.limit != 0) {
    terms.makes_lock_node = true;
    terms.stored_limit = permit_limit{wanted.limit, wanted.limit};
  }
  return terms;
}

decision permit_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  const verdict seen = permit_policy(view_of(round, own, behind_.let_pass()));
  if (const auto barred = what_bars(seen, round)) {
    return *barred;
  }
  if (round.limit_stale) {  // what bars it does not depend on the limit, and may not be seen once more (F178)
    return {round.children_watched ? decision::kind::look_with_watches : decision::kind::look};
  }
  if (const auto first = judge_limit(round, seen.mixed, out)) {
    return *first;
  }
  if (one_try_ && seen.says != verdict::kind::first) {
    return refuse(refusal::not_in_time);
  }
  switch (seen.says) {
    case verdict::kind::first:
      if (waited_ && seen.permits_before + permits_ < round.limit.limit->limit) {
        out.push(action::show_list);  // there is room for another one
      }
      waited_ = waited_ || seen.followed;
      return {decision::kind::pass};
    case verdict::kind::next: return watch_queue(round, out);
    case verdict::kind::never: return refuse(refusal::permit_limit_exceeded);
    default: break;
  }
  waited_ = true;
  return behind_.follow(seen.predecessor, false, own, out);
}

/// What has to be done about the limit before anything is decided by it; nothing: it can be.
std::optional<decision> permit_turn::judge_limit(const round_answers& round, bool mixed, action_list& out) {
  if (!round.limit.limit) {
    if (mixed) {
      return refuse(refusal::wrong_recipe);
    }
    if (!round.limit.empty) {
      return refuse(refusal::not_a_permit_limit);
    }
    if (wanted_limit_ == 0) {
      return refuse(refusal::no_permit_limit);
    }
    state_ = state::storing;
    out.push(action::store_limit);
    return decision{};
  }
  if (std::exchange(agreed_, true)) {
    return std::nullopt;  // a waiter goes by what the limit becomes
  }
  if (wanted_limit_ != 0 && wanted_limit_ != round.limit.limit->limit) {
    return refuse(refusal::permit_limit_mismatch);
  }
  if (permits_ > round.limit.limit->limit) {
    return refuse(refusal::permit_limit_exceeded);
  }
  return std::nullopt;
}

/// Whatever watch is missing on the lock node, and a list with them, by which is decided once more.
decision permit_turn::watch_queue(const round_answers& round, action_list& out) {
  waited_ = true;
  behind_.drop(out);
  if (round.watched) {
    state_ = state::next;
    return {};
  }
  return {decision::kind::look_with_watches};
}

decision permit_turn::on(const event::children_changed&, const own_node&, action_list&) {
  if (state_ != state::next) {
    return {};
  }
  state_ = state::resting;
  return {decision::kind::look_with_watches};
}

decision permit_turn::on(const event::limit_changed&, const own_node& own, action_list& out) {
  return on(event::children_changed{}, own, out);
}

decision permit_turn::on(const event::limit_stored& told, const own_node&, action_list&) {
  if (state_ != state::storing) {
    return {};
  }
  state_ = state::resting;
  switch (classify(told.code)) {
    case outcome::done: return {decision::kind::look};
    case outcome::not_done:
      if (told.code == code::bad_version) {
        return {
            decision::kind::look};  // another contender has stored one: a caller that is not content with it is told
      }
      return told.code == code::no_node ? decision{decision::kind::start_over}
                                        : refuse(refusal::server_error, told.code);
    default: return {decision::kind::look_later};
  }
}

/// The list has the own node, and those before it can only leave: with them it has fitted from then on.
decision permit_turn::on(const event::list_shown& what, const own_node& own, action_list&) {
  if (is_at() != turn_state::waiting || !agreed_ || !what.limit.limit) {
    return {};
  }
  const round_answers all{
      .children = what.list.children, .index = what.list.index, .changed = what.list.changed, .limit = what.limit};
  return permit_policy(view_of(all, own)).says == verdict::kind::first ? decision{decision::kind::pass} : decision{};
}

/// A mark tells that there are only holders before the own node. For permits the sum has to be seen: no event is enough.
decision permit_turn::on(const event::predecessor_watched& told, const own_node& own, action_list&) {
  return behind_.watched({.code = told.code, .lets_pass = told.mode == contender_mode::granted}, own);
}

/// Most likely it is held now: the list tells, whatever it was.
decision permit_turn::on(const event::predecessor_changed&, const own_node& own, action_list&) {
  return behind_.is_set() ? behind_.on(event::predecessor_gone{}, own) : decision{};
}

decision permit_turn::on(const event::marked& told, const own_node&, action_list&) { return mark_.answered(told.code); }

decision permit_turn::on(const event::connected&, const own_node&, action_list& out) {
  mark_.connected(out);
  return {};
}

/// So that the contender behind knows that it is next (F106).
void permit_turn::granted(action_list& out) {
  if (std::exchange(waited_, false)) {
    mark_.begin(out);
  }
}

void permit_turn::drop(action_list& out) {
  state_ = state::resting;
  behind_.end(out);
}

turn_state permit_turn::is_at() const noexcept {
  switch (state_) {
    case state::resting: return behind_.is_at();
    case state::storing: return turn_state::storing;
    case state::next: break;
  }
  return turn_state::waiting;
}

}  // namespace zklock::recipes
