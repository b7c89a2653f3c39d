#include "recipes/followed_node.hpp"

namespace zklock::recipes {

followed_node::pause followed_node::waits() const noexcept {
  if (!connected_) {
    return pause::none;
  }
  switch (state_) {
    case state::pausing: return pause::retry;
    case state::refused: return pause::refused;
    case state::watching:
    case state::absent: return watched_ ? pause::none : pause::poll;
    default: return pause::none;
  }
}

followed_node::command followed_node::connected(bool proven) {
  connected_ = true;
  if (!proven) {
    return command::prove;
  }
  switch (state_) {
    case state::watching:
    case state::absent: return watched_ ? command::prove : ask();
    case state::asking:
    case state::looking: return command::none;  // its answer, or its failure, is still to come
    default: return ask();
  }
}

followed_node::command followed_node::proven() {
  if (!connected_) {
    return command::none;
  }
  if (state_ == state::resting) {
    return ask();
  }
  current_ = current_ || ((state_ == state::watching || state_ == state::absent) && watched_);
  return command::none;
}

void followed_node::disconnected() noexcept {
  connected_ = false;
  current_ = false;
}

void followed_node::session_over() noexcept {
  disconnected();
  state_ = state::resting;
  first_of_session_ = true;
}

followed_node::command followed_node::ask() noexcept {
  state_ = state::asking;
  watched_ = true;
  return command::get;
}

followed_node::command followed_node::look() noexcept {
  state_ = state::looking;
  watched_ = true;
  return command::exists;
}

followed_node::command followed_node::got(code answer, const node_stat& stat, std::string_view data) {
  if (answer == code::no_node) {
    return look();
  }
  if (answer != code::ok) {
    return failed(answer);
  }
  // A server that has answered this session's quorum write is not behind. So if an earlier session has seen a later one, the
  // servers have lost their data, and begin again.
  if (stat.mzxid < stat_.mzxid && !first_of_session_) {
    state_ = state::pausing;
    return command::none;
  }
  if (stat.mzxid != stat_.mzxid || first_of_session_) {
    stat_ = stat;
    data_ = data;
  }
  first_of_session_ = false;
  state_ = state::watching;
  see(value::present);
  return command::none;
}

followed_node::command followed_node::looked(code answer) {
  if (answer == code::ok) {
    return ask();
  }
  if (answer != code::no_node) {
    return failed(answer);
  }
  state_ = state::absent;
  see(value::absent);
  return command::none;
}

/// A failure of the connection leaves what is known as it is.
followed_node::command followed_node::failed(code answer) noexcept {
  if (classify(answer) == outcome::not_done) {
    state_ = state::refused;
    why_ = answer;
    see(value::refused);
  } else {
    state_ = connected_ ? state::pausing : state::resting;
  }
  return command::none;
}

void followed_node::see(value what) {
  known_ = what;
  current_ = connected_;
}

followed_node::command followed_node::fired(bool deleted) {
  if (state_ != state::watching && state_ != state::absent) {
    return command::none;  // of an earlier watch: what is under way sets another one
  }
  if (!connected_) {
    state_ = state::resting;
    return command::none;
  }
  return deleted ? look() : ask();
}

void followed_node::wrote(const node_stat& stat, std::string_view data) {
  if (stat.mzxid > stat_.mzxid) {
    stat_ = stat;
    data_ = data;
    known_ = value::present;
  }
}

followed_node::command followed_node::timer() { return waits() == pause::none ? command::none : ask(); }

}  // namespace zklock::recipes
