#include "recipes/mark.hpp"

namespace zklock::recipes {

decision mark::answered(code answer) {
  if (state_ != marking::asked) {
    return {};
  }
  switch (classify(answer)) {
    case outcome::done: state_ = marking::done; return {};
    case outcome::not_done:
      state_ = marking::done;
      return answer == code::no_node ? decision{decision::kind::lose} : decision{};
    case outcome::unknown:
    case outcome::retry:
    case outcome::session_over: break;
  }
  state_ = marking::owed;
  return {};
}

}  // namespace zklock::recipes
