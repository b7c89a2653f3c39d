#include "recipes/curator_downgrade.hpp"

namespace zklock::recipes {

decision curator_downgrade::begin(action_list& out) { return state_ == state::none ? send(out) : decision{}; }

decision curator_downgrade::connected(action_list& out) {
  switch (state_) {
    case state::owed: return send(out);
    case state::in_doubt:
      state_ = state::looking;
      // The server that answers now may not have applied the transaction yet (F04), or lead no more and not know it (F170).
      out.push(action::sync);
      return {decision::kind::look_at_own};
    default: return {};
  }
}

decision curator_downgrade::send(action_list& out) {
  state_ = state::asked;
  out.push(action::replace_with_reader);
  return {decision::kind::become_reader};
}

decision curator_downgrade::answered(code answer) {
  if (state_ != state::asked) {
    return {};
  }
  switch (classify(answer)) {
    case outcome::done: state_ = state::done; return {decision::kind::became_reader};
    case outcome::not_done:
      if (answer == code::node_exists) {  // it was applied before, whatever was said then: the look tells
        state_ = state::in_doubt;
        return {};
      }
      state_ = state::done;
      return {answer == code::no_node ? decision::kind::lose : decision::kind::stays_writer};
    case outcome::unknown: state_ = state::in_doubt; return {};
    default: state_ = state::owed; return {};
  }
}

decision curator_downgrade::sync_answered(code answer) {
  if (state_ == state::looking && answer == code::ok) {
    state_ = state::synced;
  }
  return {};
}

decision curator_downgrade::looked(code answer, action_list& out) {
  if (state_ == state::looking) {
    state_ = state::in_doubt;  // what has not been answered is unknown
  }
  if (state_ != state::synced) {
    return {};
  }
  switch (classify(answer)) {
    case outcome::done: return send(out);
    case outcome::not_done:
      if (answer != code::no_node) {
        return send(out);  // it is there, and must not be read
      }
      state_ = state::done;
      return {decision::kind::became_reader};
    default: state_ = state::in_doubt; return {};
  }
}

marking curator_downgrade::marks() const noexcept {
  switch (state_) {
    case state::none: return marking::none;
    case state::asked: return marking::asked;
    case state::looking:
    case state::synced: return marking::sought;
    case state::owed:
    case state::in_doubt: return marking::owed;
    case state::done: break;
  }
  return marking::done;
}

}  // namespace zklock::recipes
