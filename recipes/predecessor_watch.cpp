#include "recipes/predecessor_watch.hpp"

#include <utility>

namespace zklock::recipes {

wish predecessor_watch::follow(std::string_view predecessor, bool announced, const own_node& own, action_list& out) {
  if (name_ != predecessor) {
    drop(out);
  }
  const bool ask = watch_ != watch::set;
  watch_ = ask ? watch::asked : watch_;
  name_ = predecessor;
  announced_ = announced;
  state_ = ask || own.watched != watch::set ? state::watching : state::waiting;
  return {ask ? wish::kind::watch_predecessor : wish::kind::watch_own};
}

wish predecessor_watch::watched(const answer& told, const own_node& own) {
  watch_ = recipes::answered(told.code);
  same_session_ = is_set() && told.same_session;
  lets_pass_ = is_set() && told.lets_pass;
  if (state_ != state::watching && state_ != state::passing) {
    return {};
  }
  result_ = told.code;
  return answered_by_both(own);
}

wish predecessor_watch::on(const event::own_watched& told, const own_node& own) {
  if (state_ != state::watching && state_ != state::passing) {
    return {};
  }
  if (own_result_ != code::no_node) {
    own_result_ = own_result(told);
  }
  return answered_by_both(own);
}

wish predecessor_watch::answered_by_both(const own_node& own) {
  if (watch_ == watch::asked || own.watched == watch::asked) {
    return {};
  }
  if (own_result_ == code::no_node) {
    return {wish::kind::start_over};
  }
  for (const code result : {own_result_, result_}) {
    if (classify(result) == outcome::not_done && result != code::no_node) {
      return refuse(refusal::server_error, result);
    }
  }
  for (const code result : {own_result_, result_}) {
    if (result != code::ok && result != code::no_node) {
      rest();
      return {wish::kind::look_later};
    }
  }
  if (result_ == code::no_node) {
    rest();
    return {wish::kind::look};  // it went between the list and the watch; the get has left no watch behind (F21)
  }
  if (lets_pass_) {
    let_pass_ = name_;
  }
  if (lets_pass_ || state_ == state::passing) {
    return went();
  }
  state_ = state::waiting;
  return {};
}

wish predecessor_watch::went() {
  const bool pass = announced_ && !same_session_;
  rest();
  return {pass ? wish::kind::pass : wish::kind::look};
}

wish predecessor_watch::on(const event::predecessor_gone&, const own_node& own) {
  watch_ = fired(watch_);
  switch (state_) {
    case state::resting: rest(); return {};
    case state::watching:
    case state::passing: state_ = state::passing; return answered_by_both(own);
    case state::waiting: break;
  }
  return went();
}

wish predecessor_watch::on(const event::predecessor_changed&, const own_node&) {
  if (!is_set()) {
    return {};
  }
  watch_ = watch::none;
  if (state_ == state::resting) {
    rest();
    return {};
  }
  watch_ = watch::asked;
  state_ = state::watching;
  return {wish::kind::watch_predecessor};
}

wish predecessor_watch::on(const event::own_gone&, const own_node&) {
  if (state_ != state::watching && state_ != state::passing) {
    return {wish::kind::start_over};
  }
  own_result_ = code::no_node;  // said when all is answered: a watch that is being set has to be dropped afterwards
  return {};
}

wish predecessor_watch::on(const event::own_changed&, const own_node&) {
  if (state_ == state::resting) {
    return {};
  }
  state_ = state_ == state::waiting ? state::watching : state_;
  own_result_ = code::ok;
  return {wish::kind::watch_own};
}

void predecessor_watch::drop(action_list& out) {
  if (is_set()) {
    watch_ = watch::none;
    out.push(action::forget_predecessor);
  }
  rest();
}

/// What was known of a predecessor counts for as long as the watch on it stands.
void predecessor_watch::rest() noexcept {
  state_ = state::resting;
  announced_ = false;
  result_ = own_result_ = code::ok;
  if (!is_set()) {
    name_.clear();
    same_session_ = lets_pass_ = false;
  }
}

turn_state predecessor_watch::is_at() const noexcept {
  switch (state_) {
    case state::resting: return turn_state::resting;
    case state::watching:
    case state::passing: return turn_state::watching;
    case state::waiting: break;
  }
  return turn_state::waiting;
}

}  // namespace zklock::recipes
