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

/// Of the contender that holds.
bool local_turns::may_have_turn(instant now) const noexcept {
  const bool within_bounds = turn_ + 1 - first_ < within_.turns && now - bound_from_ < within_.time;
  return (watched_ || within_bounds) && turn_ + 1 < turns_max;
}

bool local_turns::would_pass(instant now) const noexcept {
  return state_ == state::held && !waiting_.empty() && may_have_turn(now);
}

void local_turns::contend_or_rest(action_vector& out) {
  turn_ = 0;
  first_ = 0;
  watched_ = false;
  if (waiting_.empty() || waiting_.front() != trying_) {
    trying_.reset();
  }
  if (waiting_.empty()) {
    state_ = state::idle;
  } else {
    state_ = state::contending;
    keeps_ = within_.idle.count() > 0 && was_alone_ && rests_ == 0;
    rests_ -= rests_ > 0 ? 1 : 0;
    out.push_back({kind::contend});
  }
}

// ---- the calls ------------------------------------------------------------------------------------------------------

void local_turns::on(const local_event::joined& one, action_vector& out) {
  if (state_ != state::idle && state_ != state::kept && one.once) {
    out.push_back({kind::refuse, one.call});
    return;
  }
  waiting_.push_back(one.call);
  if (state_ == state::idle) {
    contend_or_rest(out);
    trying_ = one.once ? std::optional(one.call) : std::nullopt;
  } else if (state_ == state::kept) {
    trying_ = one.once ? std::optional(one.call) : std::nullopt;
    cover_next(false, out);
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
    bound_from_ = at.now;
    turn_ = 0;
    passing_ = false;
    was_alone_ = at.alone;
    watched_ = at.watched;
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
  const bool stays = !at.last && may_have_turn(at.now) && (watched_ || !waiting_.empty());
  if (!stays) {
    out.push_back({kind::remove});
    contend_or_rest(out);
  } else if (waiting_.empty()) {
    state_ = state::kept;
    idle_until_ = at.now + std::min(within_.idle, at.timeout / 2);
    out.push_back({kind::confirm});
    out.push_back({kind::keep});
  } else {
    cover_next(true, out);
  }
}

void local_turns::cover_next(bool passing, action_vector& out) {
  passing_ = passing;
  ++turn_;
  state_ = state::covering;
  out.push_back({kind::await_cover});
}

// ---- a contender that is kept ---------------------------------------------------------------------------------------

void local_turns::on(const local_event::wanted& at, action_vector& out) {
  if (!watched_) {
    return;
  }
  watched_ = false;
  first_ = turn_;
  bound_from_ = at.now;
  rest_for_longer();
  if (state_ == state::kept) {
    remove_kept(out);
  }
}

void local_turns::on(const local_event::idled& at, action_vector& out) {
  if (state_ == state::kept && at.now >= idle_until()) {
    if (turn_ > 0) {
      rested_ /= 2;
    } else {
      rest_for_longer();  // it was kept in vain
    }
    remove_kept(out);
  }
}

void local_turns::rest_for_longer() noexcept {
  rested_ = std::min(2 * rested_ + 1, rests_max);
  rests_ = rested_;
}

void local_turns::remove_kept(action_vector& out) {
  out.push_back({kind::remove});
  contend_or_rest(out);
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

/// A contender that no call holds, or has held till now, waits for the next deadline.
void local_turns::on(const local_event::holds_over&, action_vector& out) {
  if (state_ == state::kept) {
    remove_kept(out);
  } else if (state_ == state::held || (state_ == state::covering && passing_)) {
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
  out.push_back({state_ == state::kept ? kind::remove : kind::let_go});
  out.push_back({kind::refuse_all});
  waiting_.clear();
  contend_or_rest(out);
}

}  // namespace zklock::recipes
