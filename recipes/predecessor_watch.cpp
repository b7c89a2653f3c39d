#include "recipes/predecessor_watch.hpp"

#include <utility>

namespace zklock::recipes {

decision predecessor_watch::follow(std::string_view predecessor, bool announced, const own_node& own,
                                   action_list& out) {
  if (name_ != predecessor) {
    drop(out);
    name_ = predecessor;
  }
  const bool ask = !is_set();
  watch_ = ask ? watch::asked : watch_;
  announced_ = announced;
  state_ = ask || (announced && own.watched != watch::set) ? state::watching : state::waiting;
  if (announced) {
    return {ask ? decision::kind::watch_both : decision::kind::watch_own};
  }
  return {ask ? decision::kind::watch_predecessor : decision::kind::watch_own_later};
}

decision predecessor_watch::follow_own_session(std::string_view predecessor, action_list& out) {
  heap_text next(predecessor);  // before its name is dropped
  drop(out);
  name_ = std::move(next);
  state_ = state::behind_own;
  return {decision::kind::watch_own_later};
}

decision predecessor_watch::watched(const answer& told, const own_node& own) {
  if (state_ == state::behind_own && told.lets_pass) {
    let_pass_ = name_;
    return rest({decision::kind::look});
  }
  if (watch_ != watch::asked) {
    return {};
  }
  watch_ = recipes::answered(told.code);
  result_ = told.code;
  same_session_ = told.same_session;
  lets_pass_ = told.lets_pass;
  if (!is_set()) {
    announced_ = false;
    forget();
  }
  if (told.code == code::no_node) {  // the get has left no watch behind (F21)
    result_ = code::ok;
    state_ = state::passing;  // it went between the list and the watch
  }
  forget_if_over();
  return answered_by_both(own);
}

decision predecessor_watch::on(const event::own_watched& told, const own_node& own) {
  if (state_ == state::behind_own) {
    switch (const code result = own_result(told); classify(result)) {
      case outcome::done: return {};
      case outcome::not_done:
        return rest(result == code::no_node ? decision{decision::kind::start_over}
                                            : refuse(refusal::server_error, result));
      default: return {decision::kind::watch_own_later};
    }
  }
  if (state_ != state::watching && state_ != state::passing) {
    return {};
  }
  if (own_result_ != code::no_node) {
    own_result_ = own_result(told);
  }
  announced_ = announced_ && own_result_ == code::ok;
  forget_if_over();
  return answered_by_both(own);
}

decision predecessor_watch::answered_by_both(const own_node& own) {
  if (watch_ == watch::asked || own.watched == watch::asked) {
    return {};
  }
  if (own_result_ == code::no_node) {
    return rest({decision::kind::start_over});
  }
  for (const code result : {own_result_, result_}) {
    if (classify(result) == outcome::not_done) {
      return rest(refuse(refusal::server_error, result));
    }
  }
  if (own_result_ != code::ok || result_ != code::ok) {
    return rest({decision::kind::look_later});
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

decision predecessor_watch::went() {
  return rest({announced_ && !same_session_ ? decision::kind::pass : decision::kind::look});
}

decision predecessor_watch::on(const event::predecessor_gone&, const own_node&) {
  if (!is_set()) {
    return {};
  }
  watch_ = watch::none;
  if (state_ != state::watching) {
    return state_ == state::waiting ? went() : rest({});
  }
  state_ = state::passing;
  announced_ = announced_ && !same_session_;
  same_session_ = false;
  if (!lets_pass_ || name_ == let_pass_) {
    forget();
  }
  return {};  // not before the own node is known to stand
}

decision predecessor_watch::on(const event::predecessor_changed&, const own_node&) {
  if (!is_set()) {
    return {};
  }
  if (state_ == state::resting) {
    watch_ = watch::none;
    return rest({});
  }
  watch_ = watch::asked;
  state_ = state::watching;
  same_session_ = lets_pass_ = false;
  return {announced_ ? decision::kind::watch_both : decision::kind::watch_predecessor};
}

decision predecessor_watch::on(const event::own_gone&, const own_node&) {
  if (state_ != state::watching && state_ != state::passing) {
    return rest({decision::kind::start_over});
  }
  own_result_ = code::no_node;  // said when all is answered: a watch that is being set has to be dropped afterwards
  forget_if_over();
  return {};
}

decision predecessor_watch::on(const event::own_changed&, const own_node&) {
  if (state_ == state::resting) {
    return {};
  }
  own_result_ = code::ok;
  if (!announced_) {  // nothing hangs on it
    return {decision::kind::watch_own_later};
  }
  state_ = state_ == state::waiting ? state::watching : state_;
  return {decision::kind::watch_own};
}

decision predecessor_watch::on(const event::passed_on&, const own_node&) {
  return state_ == state::behind_own ? rest({decision::kind::pass}) : decision{};
}

decision predecessor_watch::on(const event::predecessor_left&, const own_node&) {
  return state_ == state::behind_own ? rest({decision::kind::look}) : decision{};
}

decision predecessor_watch::on(const event::look_after_own&, const own_node& own) {
  if (state_ == state::resting || own.watched != watch::none || own_result_ != code::ok) {
    return {};
  }
  state_ = state_ == state::waiting ? state::watching : state_;
  return {decision::kind::watch_own};
}

void predecessor_watch::drop(action_list& out) {
  if (is_set()) {
    out.push(action::forget_predecessor);
  }
  watch_ = watch::none;
  rest({});
}

/// Whatever the other answer is, the turn is over with it.
void predecessor_watch::forget_if_over() noexcept {
  if (classify(own_result_) == outcome::not_done || classify(result_) == outcome::not_done) {
    announced_ = false;
    let_pass_.clear();
    forget();
  }
}

void predecessor_watch::end(action_list& out) {
  drop(out);
  let_pass_.clear();
}

decision predecessor_watch::rest(const decision& next) noexcept {
  state_ = state::resting;
  announced_ = false;
  result_ = own_result_ = code::ok;
  if (!is_set()) {
    forget();
  }
  return next;
}

/// What was known of a predecessor counts for as long as the watch on it stands.
void predecessor_watch::forget() noexcept {
  name_.clear();
  same_session_ = lets_pass_ = false;
}

turn_state predecessor_watch::is_at() const noexcept {
  switch (state_) {
    case state::resting: return turn_state::resting;
    case state::watching:
    case state::passing: return turn_state::watching;
    case state::waiting:
    case state::behind_own: break;
  }
  return turn_state::waiting;
}

}  // namespace zklock::recipes
