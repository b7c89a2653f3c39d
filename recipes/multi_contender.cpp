#include "recipes/multi_contender.hpp"

#include <algorithm>
#include <utility>

namespace zklock::recipes {

multi_contender::multi_contender(std::size_t places, bool make_lock_nodes)
    : granted_(places, false), make_lock_nodes_(make_lock_nodes), place_(places) {}

multi_contender::multi_contender(std::vector<place_turn> turns)
    : granted_(turns.size(), false), turns_(std::move(turns)), make_lock_nodes_(false), place_(turns_.size()) {}

multi_contender::action_vector multi_contender::resume(const multi_contender_event& what) {
  return std::visit([this](const auto& one) { return on(one); }, what);
}

// ---- enlisting ------------------------------------------------------------------------------------------------------

multi_contender::action_vector multi_contender::on(const multi_event::connected&) {
  switch (state_) {
    case state::idle:
      if (in_turn()) {
        state_ = state::waiting;
        return {multi_action::begin_step};
      }
      state_ = state::enlisting;
      if (make_lock_nodes_) {
        return {multi_action::make_lock_nodes, multi_action::create_all};
      }
      return {multi_action::create_all};
    case state::unread: state_ = state::reading; return {multi_action::read_token};
    default: return {};
  }
}

multi_contender::action_vector multi_contender::on(const multi_event::lock_node_made& made) {
  const bool failed = classify(made.code) == outcome::not_done && made.code != code::node_exists &&
                      (made.code != code::no_node || made.without_root);
  if (failed && made_ == code::ok && state_ == state::enlisting) {
    made_ = made.code;
    not_made_ = made.place;
  }
  return {};
}

/// Not done: no contender has a node. Unknown: each looks for its own, and says if there is none.
multi_contender::action_vector multi_contender::on(const multi_event::created& made) {
  if (state_ != state::enlisting) {
    return {};
  }
  state_ = state::waiting;
  const code lock_node = std::exchange(made_, code::ok);
  const std::size_t not_made = std::exchange(not_made_, 0);
  if (classify(made.code) != outcome::not_done) {
    return {};
  }
  if (lock_node != code::ok) {
    return refuse(refusal::server_error, not_made, lock_node);
  }
  switch (made.code) {
    case code::no_node:
      if (!made.makeable) {
        return refuse(refusal::no_permit_limit, made.place);
      }
      lock_nodes_missing_ = true;
      return start_over();
    case code::node_exists: return refuse(refusal::exhausted, made.place, made.code);
    default: return refuse(refusal::server_error, made.place, made.code);
  }
}

// ---- what becomes of the contenders ---------------------------------------------------------------------------------

multi_contender::action_vector multi_contender::on(const multi_event::granted& one) {
  if (state_ != state::waiting) {
    return {};
  }
  if (in_turn()) {
    return granted_in_turn(one);
  }
  granted_[one.place] = true;
  token_ = std::max(token_, one.token);  // the same for all that know it
  alone_at_ = token_.czxid != 0 ? 0 : std::min(alone_at_, one.bounds.alone_at);
  if (one.bounds.outnumbered_at != 0 && one.bounds.outnumbered_at < outnumbered_at_) {
    outnumbered_at_ = one.bounds.outnumbered_at;
    outnumbered_ = one.place;
  }
  if (!std::all_of(granted_.begin(), granted_.end(), [](bool granted) { return granted; })) {
    return {};
  }
  if (token_.czxid != 0) {
    return grant_with_czxid();
  }
  token_ = {std::exchange(alone_at_, 0)};  // alone everywhere: no older contender is there
  if (token_.czxid != 0) {
    state_ = state::granted;
    return {multi_action::grant};
  }
  state_ = state::reading;
  return {multi_action::read_token};
}

/// No list is older than the nodes: one that no later change has reached shows greater numbers of older nodes alone (F178).
multi_contender::action_vector multi_contender::grant_with_czxid() {
  if (outnumbered_at_ <= token_.czxid) {
    return refuse(refusal::exhausted, outnumbered_);
  }
  state_ = state::granted;
  return {multi_action::grant};
}

/// Of one step only the last one counts the others, all of which were asked for before it, and answers come in the order of
/// the requests: if one of them is granted later (its create had to be repeated), the last one has not counted it.
multi_contender::action_vector multi_contender::granted_in_turn(const multi_event::granted& one) {
  for (std::size_t before = 0; before < one.place; ++before) {
    const bool together = turns_[before].step == step_ && turns_[one.place].step == step_;
    if (together && !granted_[before]) {
      return start_over();
    }
  }
  granted_[one.place] = true;
  if (token_.czxid == 0 && !turns_[one.place].passing) {
    token_ = one.token;
  }
  bool last = true;
  bool passes = false;
  for (std::size_t place = 0; place < turns_.size(); ++place) {
    if (turns_[place].step == step_ && !granted_[place]) {
      return {};
    }
    last = last && turns_[place].step <= step_;
    passes = passes || (turns_[place].passing && turns_[place].step + 1 == step_);
  }
  ++step_;
  action_vector actions;
  if (passes) {
    actions.push_back(multi_action::let_pass);
  }
  if (last) {
    state_ = state::granted;
    actions.push_back(multi_action::grant);
  } else {
    actions.push_back(multi_action::begin_step);
  }
  return actions;
}

multi_contender::action_vector multi_contender::on(const multi_event::refused& one) {
  return state_ == state::granted ? action_vector() : refuse(one.why, one.place, one.with);
}

/// With its nodes gone, lock nodes that had to be made may be gone again: most are containers. So the next try makes them
/// at once.
multi_contender::action_vector multi_contender::on(const multi_event::gone&) {
  lock_nodes_missing_ = lock_nodes_missing_ || (state_ == state::granted && make_lock_nodes_);
  return start_over();
}

multi_contender::action_vector multi_contender::on(const multi_event::token_read& answer) {
  if (state_ != state::reading) {
    return {};
  }
  switch (answer.code == code::ok && !answer.owned ? outcome::not_done : classify(answer.code)) {
    case outcome::done: token_ = answer.token; return grant_with_czxid();
    case outcome::not_done:
      return answer.code == code::ok || answer.code == code::no_node
                 ? start_over()
                 : refuse(refusal::server_error, granted_.size(), answer.code);
    default: state_ = state::unread; return {};
  }
}

// ---- its end --------------------------------------------------------------------------------------------------------

multi_contender::action_vector multi_contender::on(const multi_event::stop& told) {
  return refuse(told.why, granted_.size());
}

multi_contender::action_vector multi_contender::refuse(refusal why, std::size_t place, code with) {
  if (state_ == state::over) {
    return {};
  }
  end();
  refusal_ = why;
  refused_with_ = with;
  place_ = place;
  return {multi_action::refuse, multi_action::dissolve};
}

multi_contender::action_vector multi_contender::start_over() {
  if (state_ == state::over) {
    return {};
  }
  end();
  return {multi_action::dissolve, multi_action::start_over};
}

/// Nothing is asked of it any more but why, and what the next try needs.
void multi_contender::end() {
  state_ = state::over;
  granted_.assign(granted_.size(), false);
  step_ = 0;
  token_ = {};
  alone_at_ = 0;
  outnumbered_at_ = INT64_MAX;
  outnumbered_ = 0;
  made_ = code::ok;
  not_made_ = 0;
}

}  // namespace zklock::recipes
