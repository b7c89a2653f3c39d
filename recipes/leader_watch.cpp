#include "recipes/leader_watch.hpp"

#include <optional>

namespace zklock::recipes {

first_candidate first_candidate_of(names_view children) noexcept {
  std::optional<parsed_name> first;
  std::string_view name;
  for (const std::string_view child : children) {
    const auto one = parse_contender_name(child);
    if (!one) {
      continue;
    }
    const bool is_candidate = one->kind == contender_kind::mutex || one->kind == contender_kind::latch;
    if (!is_candidate || (first && !of_one_recipe(*first, *one))) {
      return {first_candidate::finding::mixed};
    }
    if (!first || one->sequence < first->sequence) {
      first = one;
      name = child;
    }
  }
  return first ? first_candidate{first_candidate::finding::found, name} : first_candidate{};
}

bool leader_watch::is_watching() const noexcept {
  switch (state_) {
    case state::watching_children: return listed_;
    case state::no_path:
    case state::following:
    case state::hidden: return true;
    default: return false;
  }
}

leader_watch::pause leader_watch::waits() const noexcept {
  if (!connected_) {
    return pause::none;
  }
  switch (state_) {
    case state::pausing: return pause::retry;
    case state::refused:
    case state::hidden: return watched_ ? pause::refused : pause::poll;
    default: return is_watching() && !watched_ ? pause::poll : pause::none;
  }
}

leader_watch::command leader_watch::connected(bool proven) {
  connected_ = true;
  if (!proven) {
    return command::prove;
  }
  if (is_watching()) {
    return watched_ ? command::prove : list();
  }
  switch (state_) {
    case state::resting:
    case state::refused:
    case state::pausing: return list();
    default: return command::none;  // its answer, or its failure, is still to come
  }
}

leader_watch::command leader_watch::proven() {
  if (!connected_) {
    return command::none;
  }
  if (state_ == state::resting) {
    return list();
  }
  current_ = current_ || (is_watching() && watched_);
  return command::none;
}

void leader_watch::disconnected() noexcept {
  connected_ = false;
  current_ = false;
}

void leader_watch::session_over() noexcept {
  disconnected();
  state_ = state::resting;
  first_of_session_ = true;
}

leader_watch::command leader_watch::list() noexcept { return ask(state::listing, command::list); }

leader_watch::command leader_watch::ask(state next, command what) noexcept {
  state_ = next;
  watched_ = true;
  listed_ = false;
  return what;
}

leader_watch::command leader_watch::listed(code answer, names_view children) {
  if (answer == code::no_node) {
    return ask(state::looking, command::exists_path);
  }
  if (answer != code::ok) {
    return failed(answer);
  }
  const first_candidate first = first_candidate_of(children);
  if (first.is == first_candidate::finding::found) {
    first_ = first.name;
    return ask(state::reading, command::get_first);
  }
  if (state_ == state::listing) {
    return ask(state::watching_children, command::list_watch);
  }
  listed_ = true;
  see(first.is == first_candidate::finding::mixed ? value::mixed : value::absent);
  return command::none;
}

leader_watch::command leader_watch::looked_for_path(code answer) {
  if (answer == code::ok) {
    return list();
  }
  if (answer != code::no_node) {
    return failed(answer);
  }
  state_ = state::no_path;
  see(value::absent);
  return command::none;
}

leader_watch::command leader_watch::got(code answer, const seen_leader& seen) {
  if (answer == code::no_node) {
    return list();
  }
  if (answer == code::no_auth && state_ == state::reading) {
    return ask(state::peeking, command::exists_first);
  }
  if (answer != code::ok) {
    return failed(answer);
  }
  // As with a followed node: a lower token is an error of that server's, but in a new session, whose servers may have lost
  // their data.
  if (seen.czxid < leader_.czxid && !first_of_session_) {
    state_ = state::pausing;
    return command::none;
  }
  first_of_session_ = false;
  leader_ = seen;
  leader_.node = first_;
  leader_.hidden = state_ == state::peeking;
  state_ = leader_.hidden ? state::hidden : state::following;
  see(value::present);
  return command::none;
}

/// A failure of the connection leaves what is known as it is.
leader_watch::command leader_watch::failed(code answer) noexcept {
  if (classify(answer) == outcome::not_done) {
    state_ = state::refused;
    why_ = answer;
    see(value::refused);
  } else {
    state_ = connected_ ? state::pausing : state::resting;
  }
  return command::none;
}

void leader_watch::see(value what) noexcept {
  known_ = what;
  current_ = connected_;
}

leader_watch::command leader_watch::fired(bool deleted) {
  if (!is_watching()) {
    return command::none;  // of an earlier watch
  }
  if (!connected_) {
    state_ = state::resting;
    return command::none;
  }
  if (state_ == state::following && !deleted) {
    return ask(state::reading, command::get_first);
  }
  return list();
}

leader_watch::command leader_watch::timer() { return waits() == pause::none ? command::none : list(); }

}  // namespace zklock::recipes
