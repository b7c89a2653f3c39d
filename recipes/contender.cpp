#include "recipes/contender.hpp"

#include <algorithm>
#include <utility>

namespace zklock::recipes {

contender::contender(const contender_id& id, const claim& wanted, bool one_try, bool enlisted_by_another)
    : id_(id),
      claim_(wanted),
      policy_(policy_of(wanted.kind)),
      one_try_(one_try),
      enlisted_by_another_(enlisted_by_another),
      limit_agreed_(wanted.agreed) {
  if (wants_lease()) {
    limit_ = permit_limit{wanted.limit, wanted.limit};  // no node says it
  }
}

action_list contender::resume(const contender_event& what) {
  return std::visit([this](const auto& one) { return on(one); }, what);
}

bool contender::needs_connection() const noexcept {
  const bool mark_failed = state_ == state::granted && mark_owed_ && !mark_asked_;
  return (state_ == state::idle && !enlisted_by_another_) || state_ == state::unsettled ||
         state_ == state::interrupted || state_ == state::unremoved || mark_failed;
}

// ---- the connection and the session ---------------------------------------------------------------------------------

action_list contender::on(const event::connected&) {
  undisturbed_ = false;
  switch (state_) {
    case state::idle: return enlisted_by_another_ ? action_list() : enter(false);
    case state::unsettled: return search();
    case state::interrupted: return list();
    case state::granted: return mark_owed_ && !mark_asked_ ? mark() : action_list();
    case state::unremoved: return remove();
    default: return {};
  }
}

action_list contender::on(const event::enlisted&) {
  return state_ == state::idle && enlisted_by_another_ ? enter(false) : action_list();
}

action_list contender::on(const event::disconnected&) {
  undisturbed_ = false;
  return {};
}

action_list contender::on(const event::session_over&) {
  own_watch_ = predecessor_watch_ = children_watch_ = limit_watch_ = false;  // gone with the session
  if (state_ == state::finished) {
    return {};
  }
  return state_ == state::granted ? lose() : start_over();
}

// ---- entering the queue ---------------------------------------------------------------------------------------------

action_list contender::enter(bool make_lock_node) {
  if (make_lock_node && !can_make_lock_node()) {
    return refuse_without_node(refusal::no_limit);
  }
  state_ = state::entering;
  own_.clear();
  made_ = code::ok;
  created_ = code::connection_loss;  // what has not been answered is unknown
  action_list actions;
  if (make_lock_node) {
    actions.push(action::make_lock_node);
  }
  if (!enlisted_by_another_) {
    actions.push(action::create_own);
  }
  look(actions);  // sent back to back: in the session's order, so that the list has the new node
  return actions;
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
    const bool complete = made.name.starts_with(prefix()) && parse_contender_name(made.name).has_value();
    if (complete) {
      own_ = made.name;
      token_ = made.token;
    } else {
      created_ = code::connection_loss;  // a name that is not whole: look for the node by its id (F81)
    }
  }
  return {};
}

action_list contender::entered(const event::listed& list) {
  switch (classify(created_)) {
    case outcome::done:
      if (answered_) {
        return remove();
      }
      return looked(list);
    case outcome::not_done:
      if (answered_) {
        return finish();
      }
      if (enlisted_by_another_) {
        return start_over();
      }
      if (created_ == code::node_exists) {  // with a random id in the name: the counter is stuck
        return refuse_without_node(refusal::exhausted, created_);
      }
      if (created_ != code::no_node) {
        return refuse_without_node(refusal::server_error, created_);
      }
      if (mixed_beside_) {  // before a lock node is left among their contenders
        return refuse_without_node(refusal::wrong_recipe);
      }
      if (classify(made_) == outcome::not_done && made_ != code::node_exists &&
          (made_ != code::no_node || without_root_)) {
        return refuse_without_node(refusal::server_error, made_);
      }
      if (classify(made_) != outcome::done && classify(made_) != outcome::not_done) {
        state_ = state::unsettled;  // not without a pause
        return {};
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
  // The server that we talk to now may not have applied the create yet (F04), or lead no more and not know it (F170).
  return action_list(action::sync, action::list);
}

action_list contender::on(const event::synced& done) {
  synced_ = done.code;
  return {};
}

action_list contender::searched(const event::listed& list) {
  const code failure = synced_ != code::ok ? synced_ : list.code;
  if (failure == code::no_node) {
    return answered_ ? finish() : enlisted_by_another_ ? start_over() : enter(true);
  }
  if (classify(failure) == outcome::not_done) {
    return refuse_without_node(refusal::server_error, failure);
  }
  if (failure != code::ok) {
    state_ = state::unsettled;
    return {};
  }
  const auto found = std::find_if(list.children.begin(), list.children.end(),
                                  [own = prefix()](const std::string& child) { return child.starts_with(own); });
  if (found == list.children.end()) {
    return answered_ ? finish() : enlisted_by_another_ ? start_over() : enter(false);
  }
  own_ = *found;
  if (answered_) {
    return remove();
  }
  state_ = state::settling;
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
      if (answer.code == code::no_node && std::exchange(reader_may_stand_, false)) {
        own_ = reader();  // the downgrade was done, as the writer's going tells
        return remove();
      }
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

void contender::note_answer(code with) noexcept {
  const outcome what = classify(with);
  queue_seen_ = queue_seen_ || what == outcome::done || what == outcome::not_done;
}

}  // namespace zklock::recipes
