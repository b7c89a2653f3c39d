// What a contender does once the lock is its own: it tells who waits, and may go on as a reader.
#include <utility>

#include "recipes/contender.hpp"

namespace zklock::recipes {

action_list contender::grant(bool followed) {
  action_list actions;
  drop_watches_for_turn(actions);
  state_ = state::granted;
  actions.push(action::grant);
  if (wants_permits() && (waited_ || followed)) {
    for (const action one : mark()) {  // so that the next one knows that it is next (F106)
      actions.push(one);
    }
  }
  return actions;
}

action_list contender::on(const event::downgrade&) {
  if (state_ != state::granted || claim_.kind != contender_kind::write || own_marked_) {
    return {};
  }
  return mark();
}

action_list contender::mark() {
  own_marked_ = mark_owed_ = mark_asked_ = true;
  if (of_curator()) {
    reader_may_stand_ = true;
    return action_list(action::go_on_as_reader);
  }
  return action_list(action::mark_own);
}

action_list contender::on(const event::marked& answer) {
  if (!std::exchange(mark_asked_, false) || state_ != state::granted) {
    return {};
  }
  if (of_curator() && (answer.code == code::ok || answer.code == code::node_exists)) {
    return went_on_as_reader();  // it exists: an earlier transaction whose answer was lost
  }
  switch (classify(answer.code)) {
    case outcome::done: mark_owed_ = false; return {};
    case outcome::not_done:
      if (reader_unsettled_ && answer.code != code::no_node) {
        return {};  // an earlier transaction may have been done: only its repeat can tell
      }
      mark_owed_ = false;  // where the server forbids it: who waits goes on waiting, until this node goes
      reader_may_stand_ = false;
      return answer.code == code::no_node ? lose() : of_curator() ? look_after_own() : action_list();
    case outcome::unknown: reader_unsettled_ = of_curator(); return {};
    case outcome::retry:
    case outcome::session_over: break;
  }
  return {};
}

/// The writer's watch has gone with it.
action_list contender::went_on_as_reader() {
  own_ = reader();
  mark_owed_ = reader_may_stand_ = false;
  action_list actions;
  if (std::exchange(own_watch_, false)) {
    actions.push(action::forget_own);
  }
  own_asked_ = true;
  actions.push(action::watch_own);
  return actions;
}

contender_mode contender::mode() const noexcept {
  switch (claim_.kind) {
    case contender_kind::read: return contender_mode::read;
    case contender_kind::write: return own_marked_ ? contender_mode::read : contender_mode::write;
    case contender_kind::permit: return own_marked_ ? contender_mode::granted : contender_mode::permit;
    default: return contender_mode::write;
  }
}

}  // namespace zklock::recipes
