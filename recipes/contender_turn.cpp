// How a contender learns that it is its turn.
#include <algorithm>
#include <utility>

#include "recipes/contender.hpp"

namespace zklock::recipes {

// ---- looking at the queue -------------------------------------------------------------------------------------------

void contender::look(action_list& actions) {
  if (wants_permits()) {
    limit_code_ = code::connection_loss;  // what has not been answered is unknown
    actions.push(action::read_limit);
  }
  if (looks_beside()) {
    actions.push(action::look_beside);
  }
  actions.push(action::list);
}

action_list contender::list() {
  state_ = state::listing;
  action_list actions;
  look(actions);
  return actions;
}

action_list contender::on(const event::limit_read& answer) {
  limit_code_ = answer.code;
  if (answer.code == code::ok) {
    limit_ = parse_limit(answer.data);
    limit_empty_ = answer.data.empty();
    limit_version_ = answer.version;
    limit_stale_ = false;
  }
  if (std::exchange(limit_asked_, false)) {
    limit_watch_ = answer.code == code::ok;
    if (state_ == state::removing && std::exchange(limit_watch_, false)) {
      return action_list(action::forget_limit);
    }
  }
  return {};
}

/// A native contender that comes after the lock node of the leases was made sees that it is there; one that came before is
/// seen here: one of the two gives way. What is not answered makes no difference: nor is the list that is decided by.
action_list contender::on(const event::looked_beside& beside) {
  mixed_beside_ = std::any_of(beside.children.begin(), beside.children.end(), [](const std::string& child) {
    const auto parsed = parse_contender_name(child);
    return parsed && parsed->kind != contender_kind::foreign;
  });
  return {};
}

/// The list's answer is the last of the round.
action_list contender::on(const event::listed& children) {
  note_answer(children.code);
  if (std::exchange(children_asked_, false)) {
    children_watch_ = children.code == code::ok;
    if (state_ == state::removing && std::exchange(children_watch_, false)) {
      return action_list(action::forget_children);
    }
  }
  switch (state_) {
    case state::entering: return entered(children);
    case state::searching: return searched(children);
    case state::listing: return looked(children);
    case state::watching: return next_ ? looked(children) : action_list();
    default: return {};
  }
}

action_list contender::looked(const event::listed& list) {
  const code failure = wants_permits() && limit_code_ != code::ok ? limit_code_ : list.code;
  switch (classify(failure)) {
    case outcome::done: return own_went_ ? start_over() : decide(list.children);
    case outcome::not_done: return failure == code::no_node ? start_over() : refuse(refusal::server_error, failure);
    default: state_ = state::interrupted; return {};
  }
}

action_list contender::decide(std::span<const std::string> children) {
  using kind = verdict::kind;
  const verdict seen = policy_({children, own_, marked_, limit_.value_or(permit_limit{})});
  switch (seen.says) {
    case kind::absent: return start_over();
    case kind::exhausted: return refuse(refusal::exhausted);
    case kind::wrong_recipe: return refuse(refusal::wrong_recipe);
    default: break;
  }
  if (mixed_beside_) {
    return refuse(refusal::wrong_recipe);
  }
  if (wants_permits()) {
    if (auto actions = judge_limit(seen)) {
      return *actions;
    }
  }
  // Whether a native writer before it is one still, a reader can tell from its data alone.
  const bool look_closer = claim_.kind == contender_kind::read && seen.says == kind::behind && !of_curator();
  if (one_try_ && seen.says != kind::first && !look_closer) {
    return refuse(refusal::not_in_time);
  }
  switch (seen.says) {
    case kind::first: return grant(seen.followed);
    case kind::next: return watch_queue();
    case kind::never: return refuse(refusal::limit_exceeded);
    default: return watch(seen);
  }
}

/// What has to be done about the limit before anything is decided by it; nothing: it can be.
std::optional<action_list> contender::judge_limit(const verdict& seen) {
  if (limit_stale_) {
    return watch_queue();
  }
  if (!limit_) {
    if (seen.mixed) {
      return refuse(refusal::wrong_recipe);
    }
    if (!limit_empty_ || claim_.limit == 0) {
      return refuse(refusal::no_limit);
    }
    state_ = state::storing;
    return action_list(action::store_limit);
  }
  if (std::exchange(limit_agreed_, true)) {
    return std::nullopt;  // who waits already goes by what the limit becomes
  }
  if (claim_.limit != 0 && claim_.limit != limit_->limit) {
    return refuse(refusal::limit_mismatch);
  }
  if (claim_.permits > limit_->limit) {
    return refuse(refusal::limit_exceeded);
  }
  return std::nullopt;
}

action_list contender::on(const event::limit_stored& answer) {
  if (state_ != state::storing) {
    return {};
  }
  switch (classify(answer.code)) {
    case outcome::done: return list();
    case outcome::not_done:
      if (answer.code == code::bad_version) {
        return list();  // somebody else has stored one: whoever is not content with it will be told
      }
      return answer.code == code::no_node ? start_over() : refuse(refusal::server_error, answer.code);
    default: state_ = state::interrupted; return {};
  }
}

// ---- waiting for a predecessor --------------------------------------------------------------------------------------

action_list contender::watch(const verdict& seen) {
  action_list actions;
  waited_ = true;
  next_ = false;
  sole_ = seen.sole;
  undisturbed_ = true;
  predecessor_went_ = false;
  const bool same = predecessor_watch_ && predecessor_ == seen.predecessor;
  if (!same) {
    drop_watches_for_turn(actions);
  }
  predecessor_ = seen.predecessor;
  state_ = state::waiting;
  predecessor_result_ = own_result_ = code::ok;
  if (!predecessor_watch_) {
    predecessor_asked_ = true;
    actions.push(action::watch_predecessor);
    state_ = state::watching;
  }
  if (!own_watch_) {
    own_asked_ = true;
    actions.push(action::watch_own);
    state_ = state::watching;
  }
  return actions;
}

action_list contender::on(const event::predecessor_watched& answer) {
  predecessor_asked_ = false;
  predecessor_watch_ = answer.code == code::ok;
  predecessor_ours_ = answer.same_session;
  predecessor_mode_ = answer.mode;
  predecessor_result_ = answer.code;
  if (state_ == state::removing && predecessor_watch_) {
    predecessor_watch_ = false;
    return action_list(action::forget_predecessor);
  }
  return state_ == state::watching && !next_ ? watches_answered() : action_list();
}

action_list contender::on(const event::own_watched& answer) {
  own_asked_ = false;
  own_watch_ = answer.code == code::ok;
  own_result_ = answer.code == code::ok && !answer.owned ? code::no_node : answer.code;
  if (own_result_ == code::ok) {
    token_ = answer.token;  // a transaction has not told it
  }
  switch (state_) {
    case state::settling:
      switch (classify(own_result_)) {
        case outcome::done: return list();
        case outcome::not_done:
          return own_result_ == code::no_node ? start_over() : refuse(refusal::server_error, own_result_);
        default: state_ = state::unsettled; return {};
      }
    case state::watching: return next_ ? action_list() : watches_answered();
    case state::granted: return own_result_ == code::no_node && !reader_may_stand_ ? lose() : action_list();
    case state::removing:
      if (own_watch_) {
        own_watch_ = false;
        return action_list(action::forget_own);
      }
      return {};
    default: return {};
  }
}

action_list contender::watches_answered() {
  if (own_asked_ || predecessor_asked_) {
    return {};
  }
  if (own_went_ || own_result_ == code::no_node) {
    return start_over();
  }
  for (const code result : {own_result_, predecessor_result_}) {
    if (classify(result) == outcome::not_done && result != code::no_node) {
      return refuse(refusal::server_error, result);
    }
  }
  for (const code result : {own_result_, predecessor_result_}) {
    if (result != code::ok && result != code::no_node) {
      state_ = state::interrupted;
      return {};
    }
  }
  if (predecessor_result_ == code::no_node) {
    return list();  // it went between the list and the watch; the get has left no watch behind (F21)
  }
  state_ = state::waiting;
  if (predecessor_is_marked()) {
    marked_ = predecessor_;
    predecessor_went_ = true;
  }
  if (predecessor_went_) {
    return predecessor_went();
  }
  return one_try_ ? refuse(refusal::not_in_time) : action_list();
}

/// Whether the predecessor's data says that it is none any more (a downgraded writer, for a reader) or that there are only
/// holders before the own node (a permit that is held). Once marked, always marked: an older answer is none the worse.
bool contender::predecessor_is_marked() const noexcept {
  switch (claim_.kind) {
    case contender_kind::read: return predecessor_mode_ == contender_mode::read && !of_curator();
    case contender_kind::permit: return predecessor_mode_ == contender_mode::granted;
    default: return false;
  }
}

/// The event alone is a grant only when it can mean nothing else. A predecessor of the same session may have gone because
/// the session did, and the own node with it: the server tells of both in any order, and of the expiry last.
action_list contender::predecessor_went() {
  return sole_ && undisturbed_ && !predecessor_ours_ && may_pass_unseen() ? grant(false) : list();
}

/// For permits the sum has to be seen. In Curator's layout a writer that goes may have become a reader, which stands before
/// everybody who came after the writer.
bool contender::may_pass_unseen() const noexcept {
  return !wants_permits() && (claim_.kind == contender_kind::mutex || !of_curator());
}

action_list contender::on(const event::predecessor_gone&) {
  predecessor_watch_ = false;
  if (state_ == state::watching && !next_) {
    predecessor_went_ = true;
    return watches_answered();
  }
  return state_ == state::waiting && !next_ ? predecessor_went() : action_list();
}

action_list contender::on(const event::predecessor_changed&) {
  const bool stood = std::exchange(predecessor_watch_, false);
  if ((state_ != state::waiting && state_ != state::watching) || next_ || !stood) {
    return {};
  }
  if (wants_permits()) {  // most likely it is held now: the list tells, whatever it was
    if (state_ == state::watching) {
      predecessor_went_ = true;
      return watches_answered();
    }
    return list();
  }
  state_ = state::watching;  // what does its data say now?
  predecessor_asked_ = true;
  return action_list(action::watch_predecessor);
}

action_list contender::on(const event::own_gone&) {
  own_watch_ = false;
  switch (state_) {
    case state::granted: return reader_may_stand_ ? action_list() : lose();
    case state::unremoved: return reader_may_stand_ ? action_list() : finish();
    case state::watching:
      own_went_ = true;  // a watch that is being set has to be dropped afterwards
      return next_ ? action_list() : watches_answered();
    case state::listing:
    case state::storing:
    case state::interrupted:
    case state::waiting: return start_over();
    default: return {};
  }
}

action_list contender::on(const event::own_changed&) {
  own_watch_ = false;
  if ((state_ != state::waiting && state_ != state::watching) || next_) {
    return {};  // set again with the next heartbeat, or with the next predecessor
  }
  state_ = state::watching;
  own_asked_ = true;
  return action_list(action::watch_own);
}

action_list contender::on(const event::look_after_own&) {
  return state_ == state::granted ? look_after_own() : action_list();
}

action_list contender::look_after_own() {
  if (own_watch_ || own_asked_ || reader_may_stand_) {
    return {};
  }
  own_asked_ = true;
  return action_list(action::watch_own);
}

// ---- next in line for permits ---------------------------------------------------------------------------------------

/// Whatever watch is missing on the lock node, and a list with them, by which is decided once more.
action_list contender::watch_queue() {
  action_list actions;
  waited_ = next_ = true;
  if (predecessor_watch_) {
    predecessor_watch_ = false;
    actions.push(action::forget_predecessor);
  }
  const bool limit_is_known = limit_watch_ || wants_lease();
  if (limit_is_known && children_watch_) {
    state_ = state::waiting;
    return actions;
  }
  state_ = state::watching;
  if (!limit_is_known) {
    limit_asked_ = true;
    limit_code_ = code::connection_loss;
    actions.push(action::watch_limit);
  }
  if (children_watch_) {
    actions.push(action::list);
  } else {
    children_asked_ = true;
    actions.push(action::watch_children);
  }
  return actions;
}

action_list contender::on(const event::children_changed&) {
  children_watch_ = false;
  return state_ == state::waiting && next_ ? watch_queue() : action_list();
}

action_list contender::on(const event::limit_changed&) {
  limit_watch_ = false;
  limit_stale_ = true;
  return state_ == state::waiting && next_ ? watch_queue() : action_list();
}

// ---- the watches ----------------------------------------------------------------------------------------------------

void contender::drop_watches_for_turn(action_list& actions) {
  if (std::exchange(predecessor_watch_, false)) {
    actions.push(action::forget_predecessor);
  }
  if (std::exchange(children_watch_, false)) {
    actions.push(action::forget_children);
  }
  if (std::exchange(limit_watch_, false)) {
    actions.push(action::forget_limit);
  }
}

void contender::drop_watches(action_list& actions) {
  drop_watches_for_turn(actions);
  if (std::exchange(own_watch_, false)) {
    actions.push(action::forget_own);
  }
}

}  // namespace zklock::recipes
