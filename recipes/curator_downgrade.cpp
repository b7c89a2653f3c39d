#include "recipes/curator_downgrade.hpp"

namespace zklock::recipes {

wish curator_downgrade::begin(action_list& out) { return state_ == state::none ? send(state::asked, out) : wish{}; }

wish curator_downgrade::connected(action_list& out) {
  switch (state_) {
    case state::owed: return send(state::asked, out);
    case state::in_doubt: return send(state::asked_again, out);
    default: return {};
  }
}

wish curator_downgrade::send(state as, action_list& out) {
  state_ = as;
  out.push(action::go_on_as_reader);
  return {wish::kind::become_reader};
}

wish curator_downgrade::answered(code answer) {
  const bool again = state_ == state::asked_again;
  if (!again && state_ != state::asked) {
    return {};
  }
  if (answer == code::ok || answer == code::node_exists) {  // it exists: an earlier transaction, whose answer was lost
    state_ = state::done;
    return {wish::kind::became_reader};
  }
  switch (classify(answer)) {
    case outcome::not_done:
      if (answer == code::no_node) {
        state_ = state::done;
        return {wish::kind::lose};
      }
      state_ = again ? state::in_doubt : state::done;
      return again ? wish{} : wish{wish::kind::stays_writer};
    case outcome::unknown: state_ = state::in_doubt; return {};
    default: state_ = again ? state::in_doubt : state::owed; return {};
  }
}

marking curator_downgrade::marks() const noexcept {
  switch (state_) {
    case state::none: return marking::none;
    case state::asked:
    case state::asked_again: return marking::asked;
    case state::owed:
    case state::in_doubt: return marking::owed;
    case state::done: break;
  }
  return marking::done;
}

}  // namespace zklock::recipes
