#include "recipes/contender.hpp"

#include <algorithm>

namespace zklock::recipes {

contender::contender(const contender_id& id, queue_policy policy, bool one_try)
    : id_(id), policy_(policy), one_try_(one_try) {}

action_list contender::resume(const contender_event& what) {
  return std::visit([this](const auto& one) { return on(one); }, what);
}

bool contender::needs_connection() const noexcept {
  return state_ == state::idle || state_ == state::unsettled || state_ == state::interrupted ||
         state_ == state::unremoved;
}

// ---- the connection and the session ---------------------------------------------------------------------------------

action_list contender::on(const event::connected&) {
  undisturbed_ = false;
  switch (state_) {
    case state::idle: return enter(false);
    case state::unsettled: return search();
    case state::interrupted: return list();
    case state::unremoved: return remove();
    default: return {};
  }
}

action_list contender::on(const event::disconnected&) {
  undisturbed_ = false;
  return {};
}

action_list contender::on(const event::session_over&) {
  own_watch_ = predecessor_watch_ = false;  // gone with the session
  if (state_ == state::finished) {
    return {};
  }
  return state_ == state::granted ? lose() : start_over();
}

// ---- entering the queue ---------------------------------------------------------------------------------------------

action_list contender::enter(bool make_lock_node) {
  state_ = state::entering;
  own_.clear();
  made_ = code::ok;
  created_ = code::connection_loss;  // what has not been answered is unknown
  // Sent back to back: in the session's order, so that the list has the new node.
  return make_lock_node ? action_list(action::make_lock_node, action::create_own, action::list)
                        : action_list(action::create_own, action::list);
}

action_list contender::on(const event::lock_node_made& made) {
  made_ = made.code;
  without_root_ = made.without_root;
  return {};
}

action_list contender::on(const event::created& made) {
  if (state_ != state::entering) {
    return {};
  }
  note_answer(made.code);
  created_ = made.code;
  if (made.code == code::ok) {
    const bool complete = made.name.starts_with(id_.text()) && parse_contender_name(made.name).has_value();
    if (complete) {
      own_ = made.name;
      token_ = made.token;
    } else {
      created_ = code::connection_loss;  // a name that is not whole: look for the node by its id (F81)
    }
  }
  return {};
}

action_list contender::on(const event::listed& children) {
  note_answer(children.code);
  switch (state_) {
    case state::entering: return entered(children);
    case state::searching: return searched(children);
    case state::listing: break;
    default: return {};
  }
  switch (classify(children.code)) {
    case outcome::done: return decide(children.children);
    case outcome::not_done:
      return children.code == code::no_node ? start_over() : refuse(refusal::server_error, children.code);
    default: state_ = state::interrupted; return {};
  }
}

/// The list's answer is the last of the round.
action_list contender::entered(const event::listed& children) {
  switch (classify(created_)) {
    case outcome::done:
      if (answered_) {
        return remove();
      }
      state_ = state::listing;
      return on(children);
    case outcome::not_done:
      if (answered_) {
        return finish();
      }
      if (created_ == code::node_exists) {  // with a random id in the name: the counter is stuck
        return refuse_without_node(refusal::exhausted, created_);
      }
      if (created_ != code::no_node) {
        return refuse_without_node(refusal::server_error, created_);
      }
      if (classify(made_) == outcome::not_done && made_ != code::node_exists &&
          (made_ != code::no_node || without_root_)) {
        return refuse_without_node(refusal::server_error, made_);
      }
      return enter(true);  // never made, or reaped in between (F06)
    default: state_ = state::unsettled; return {};
  }
}

// ---- after an unknown outcome ---------------------------------------------------------------------------------------

action_list contender::search() {
  state_ = state::searching;
  own_.clear();
  synced_ = code::connection_loss;  // what has not been answered is unknown
  // The sync first: the server that we talk to now may not have applied the create yet (F04).
  return action_list(action::sync, action::list);
}

action_list contender::on(const event::synced& done) {
  synced_ = done.code;
  return {};
}

action_list contender::searched(const event::listed& list) {
  const code failure = synced_ != code::ok ? synced_ : list.code;
  if (failure == code::no_node) {
    return answered_ ? finish() : enter(true);
  }
  if (classify(failure) == outcome::not_done) {
    return refuse_without_node(refusal::server_error, failure);
  }
  if (failure != code::ok) {
    state_ = state::unsettled;
    return {};
  }
  const auto found = std::find_if(list.children.begin(), list.children.end(),
                                  [this](const std::string& child) { return child.starts_with(id_.text()); });
  if (found == list.children.end()) {
    return answered_ ? finish() : enter(false);
  }
  own_ = *found;
  if (answered_) {
    return remove();
  }
  state_ = state::settling;
  own_asked_ = true;
  return action_list(action::watch_own);
}

// ---- the queue ------------------------------------------------------------------------------------------------------

action_list contender::list() {
  state_ = state::listing;
  return action_list(action::list);
}

action_list contender::decide(std::span<const std::string> children) {
  const verdict seen = policy_(children, own_);
  switch (seen.says) {
    case verdict::kind::first: return grant();
    case verdict::kind::behind: return one_try_ ? refuse(refusal::not_in_time) : watch(seen);
    case verdict::kind::absent: return start_over();
    case verdict::kind::exhausted: return refuse(refusal::exhausted);
    case verdict::kind::wrong_recipe: return refuse(refusal::wrong_recipe);
  }
  return {};
}

action_list contender::grant() {
  action_list actions;
  if (predecessor_watch_) {
    actions.push(action::forget_predecessor);
    predecessor_watch_ = false;
  }
  state_ = state::granted;
  actions.push(action::grant);
  return actions;
}

action_list contender::watch(const verdict& seen) {
  action_list actions;
  sole_ = seen.sole;
  undisturbed_ = true;
  predecessor_went_ = false;
  if (predecessor_watch_ && predecessor_ != seen.predecessor) {
    actions.push(action::forget_predecessor);
    predecessor_watch_ = false;
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
  predecessor_result_ = answer.code;
  if (state_ == state::removing && predecessor_watch_) {
    predecessor_watch_ = false;
    return action_list(action::forget_predecessor);
  }
  return state_ == state::watching ? watches_answered() : action_list();
}

action_list contender::on(const event::own_watched& answer) {
  own_asked_ = false;
  own_watch_ = answer.code == code::ok;
  own_result_ = answer.code == code::ok && !answer.owned ? code::no_node : answer.code;
  switch (state_) {
    case state::settling:
      switch (classify(own_result_)) {
        case outcome::done: token_ = answer.token; return list();
        case outcome::not_done:
          return own_result_ == code::no_node ? start_over() : refuse(refusal::server_error, own_result_);
        default: state_ = state::unsettled; return {};
      }
    case state::watching: return watches_answered();
    case state::granted: return own_result_ == code::no_node ? lose() : action_list();
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
  if (!predecessor_went_) {
    return {};
  }
  return predecessor_went();
}

/// The event alone is a grant only when it can mean nothing else. A predecessor of the same session may have gone because
/// the session did, and the own node with it: the server tells of both in any order, and of the expiry last.
action_list contender::predecessor_went() { return sole_ && undisturbed_ && !predecessor_ours_ ? grant() : list(); }

action_list contender::on(const event::predecessor_gone&) {
  predecessor_watch_ = false;
  if (state_ == state::watching) {
    predecessor_went_ = true;
    return watches_answered();
  }
  if (state_ != state::waiting) {
    return {};
  }
  return predecessor_went();
}

action_list contender::on(const event::predecessor_changed&) {
  sole_ = false;  // the watch is used up: look again, whatever it says
  return on(event::predecessor_gone{});
}

action_list contender::on(const event::own_gone&) {
  own_watch_ = false;
  switch (state_) {
    case state::granted: return lose();
    case state::unremoved: return finish();
    case state::watching:
      own_went_ = true;  // a watch that is being set has to be dropped afterwards
      return watches_answered();
    case state::listing:
    case state::interrupted:
    case state::waiting: return start_over();
    default: return {};
  }
}

action_list contender::on(const event::own_changed&) {
  own_watch_ = false;
  if (state_ != state::waiting && state_ != state::watching) {
    return {};  // set again with the next heartbeat, or with the next predecessor
  }
  state_ = state::watching;
  own_asked_ = true;
  return action_list(action::watch_own);
}

action_list contender::on(const event::look_after_own&) {
  if (state_ != state::granted || own_watch_ || own_asked_) {
    return {};
  }
  own_asked_ = true;
  return action_list(action::watch_own);
}

// ---- leaving --------------------------------------------------------------------------------------------------------

action_list contender::on(const event::stop& told) {
  if (answered_) {
    return {};
  }
  switch (state_) {
    case state::idle: return refuse_without_node(told.why);
    case state::entering:
    case state::unsettled:
    case state::searching: {
      action_list actions;  // the node, if there is one, has to be found before it can be removed
      answer(actions, told.why, code::ok);
      return actions;
    }
    case state::removing:
    case state::unremoved:
    case state::finished: return {};
    default: return refuse(told.why);
  }
}

action_list contender::on(const event::release&) {
  if (state_ != state::granted) {
    return {};
  }
  answered_ = true;
  return remove();
}

action_list contender::on(const event::removed& answer) {
  if (state_ != state::removing) {
    return {};
  }
  switch (classify(answer.code)) {
    case outcome::done: return finish();
    case outcome::not_done:
      if (answer.code != code::no_node) {
        refused_with_ = answer.code;  // the server forbids it: the node stays until its session ends
      }
      return finish();
    default: state_ = state::unremoved; return {};
  }
}

action_list contender::remove() {
  action_list actions;
  drop_watches(actions);
  state_ = state::removing;
  actions.push(action::remove_own);
  return actions;
}

action_list contender::refuse(refusal why, code with) {
  action_list actions;
  answer(actions, why, with);
  for (const action one : remove()) {
    actions.push(one);
  }
  return actions;
}

action_list contender::refuse_without_node(refusal why, code with) {
  action_list actions;
  answer(actions, why, with);
  for (const action one : finish()) {
    actions.push(one);
  }
  return actions;
}

action_list contender::start_over() {
  action_list actions;
  drop_watches(actions);
  if (!answered_) {
    answered_ = true;
    actions.push(action::start_over);
  }
  for (const action one : finish()) {
    actions.push(one);
  }
  return actions;
}

action_list contender::lose() {
  action_list actions;
  drop_watches(actions);
  state_ = state::finished;
  actions.push(action::lose);
  actions.push(action::finish);
  return actions;
}

action_list contender::finish() {
  state_ = state::finished;
  return action_list(action::finish);
}

void contender::answer(action_list& actions, refusal why, code with) {
  if (!answered_) {
    answered_ = true;
    refusal_ = why;
    refused_with_ = with;
    actions.push(action::refuse);
  }
}

void contender::drop_watches(action_list& actions) {
  if (predecessor_watch_) {
    actions.push(action::forget_predecessor);
  }
  if (own_watch_) {
    actions.push(action::forget_own);
  }
  predecessor_watch_ = own_watch_ = false;
}

void contender::note_answer(code with) noexcept {
  const outcome what = classify(with);
  queue_seen_ = queue_seen_ || what == outcome::done || what == outcome::not_done;
}

}  // namespace zklock::recipes
