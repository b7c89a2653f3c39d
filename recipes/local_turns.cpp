#include "recipes/local_turns.hpp"

#include <algorithm>
#include <utility>

namespace zklock::recipes {

using kind = local_action::kind;

bool may_take_turns(const acquire_spec& of) noexcept { return holds_alone(of.kind); }

local_turns::action_vector local_turns::resume(const local_turns_event& what) {
  action_vector out;
  std::visit([&](const auto& one) { on(one, out); }, what);
  return out;
}

bool local_turns::would_pass(instant now) const noexcept {
  const bool in_number = turn_ + 1 < within_.turns;
  const bool in_time = now - granted_at_ < within_.time;
  return state_ == state::held && !waiting_.empty() && in_number && in_time;
}

void local_turns::contend_or_rest(action_vector& out) {
  turn_ = 0;
  if (waiting_.empty() || waiting_.front() != trying_) {
    trying_.reset();
  }
  if (waiting_.empty()) {
    state_ = state::idle;
  } else {
    state_ = state::contending;
    out.push_back({kind::contend});
  }
}

// ---- the calls ------------------------------------------------------------------------------------------------------

void local_turns::on(const local_event::joined& one, action_vector& out) {
  if (state_ != state::idle && one.once) {
    out.push_back({kind::refuse, one.call});
    return;
  }
  waiting_.push_back(one.call);
  if (state_ == state::idle) {
    contend_or_rest(out);
    trying_ = one.once ? std::optional(one.call) : std::nullopt;
  }
}

void local_turns::on(const local_event::left& one, action_vector& out) {
  const auto found = std::find(waiting_.begin(), waiting_.end(), one.call);
  if (found == waiting_.end()) {
    return;
  }
  waiting_.erase(found);
  if (!waiting_.empty() || state_ == state::held) {
    return;
  }
  const bool was_held = state_ == state::covering && turn_ > 0;
  out.push_back({was_held ? kind::remove : kind::stop});
  contend_or_rest(out);
}

/// Without a contender, or with one that no call has been granted.
void local_turns::on(const local_event::refused& why, action_vector& out) {
  if (state_ != state::contending && state_ != state::covering) {
    return;
  }
  out.push_back({kind::let_go});
  if (why.not_in_time && trying_) {  // the others can wait
    if (std::erase(waiting_, *trying_) > 0) {
      out.push_back({kind::refuse, *trying_});
    }
  } else {
    waiting_.clear();
    out.push_back({kind::refuse_all});
  }
  contend_or_rest(out);
}

// ---- the turns ------------------------------------------------------------------------------------------------------

void local_turns::on(const local_event::granted& at, action_vector& out) {
  if (state_ == state::contending) {
    state_ = state::covering;
    granted_at_ = at.now;
    turn_ = 0;
    out.push_back({kind::await_cover});
  }
}

void local_turns::on(const local_event::covered&, action_vector& out) {
  if (state_ == state::covering) {
    state_ = state::held;
    if (turn_ > 0) {
      out.push_back({kind::confirm});
    }
    out.push_back({kind::begin_turn, waiting_.front(), turn_});
    waiting_.pop_front();
  }
}

void local_turns::on(const local_event::released& at, action_vector& out) {
  if (state_ != state::held) {
    return;
  }
  if (at.last || !would_pass(at.now)) {
    out.push_back({kind::remove});
    contend_or_rest(out);
    return;
  }
  ++turn_;
  state_ = state::covering;
  out.push_back({kind::await_cover});
}

// ---- the end of the contender ---------------------------------------------------------------------------------------

void local_turns::on(const local_event::lost&, action_vector& out) {
  if (state_ == state::idle) {
    return;
  }
  out.push_back({kind::lose});
  out.push_back({kind::let_go});
  contend_or_rest(out);
}

/// A contender that no call has been granted yet waits for the next deadline.
void local_turns::on(const local_event::holds_over&, action_vector& out) {
  if (state_ == state::held || (state_ == state::covering && turn_ > 0)) {
    out.push_back({kind::let_go});
    contend_or_rest(out);
  }
}

void local_turns::on(const local_event::downgraded&, action_vector& out) {
  if (state_ == state::held) {
    out.push_back({kind::let_go});
    contend_or_rest(out);
  }
}

void local_turns::on(const local_event::stopped&, action_vector& out) {
  if (state_ == state::idle) {
    return;
  }
  out.push_back({kind::let_go});
  out.push_back({kind::refuse_all});
  waiting_.clear();
  contend_or_rest(out);
}

}  // namespace zklock::recipes
