#include "recipes/queue_round.hpp"

#include <algorithm>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {

queue_round::queue_round(bool reads_limit, bool looks_beside, const limit_node& known)
    : reads_limit_(reads_limit), looks_beside_(looks_beside), limit_(known) {}

void queue_round::look(action_list& out) {
  state_ = state::asked;
  limit_watch_ = limit_watch_ == watch::fired_while_asked ? watch::none : limit_watch_;
  if (reads_limit_) {
    limit_code_ = code::connection_loss;  // what has not been answered is unknown
    out.push(action::read_limit);
  }
  mixed_beside_ = false;
  if (looks_beside_) {
    out.push(action::look_beside);
  }
  out.push(action::list);
}

void queue_round::look_with_watches(action_list& out) {
  state_ = state::asked_with_watches;
  if (!limit_is_watched()) {
    limit_watch_ = watch::asked;
    limit_code_ = code::connection_loss;
    out.push(action::watch_limit);
  }
  if (children_watch_ == watch::set) {
    out.push(action::list);
    return;
  }
  children_watch_ = watch::asked;
  out.push(action::watch_children);
}

void queue_round::read(const event::limit_read& answer) {
  if (under_way() && reads_limit_) {
    limit_code_ = answer.code;
    if (answer.code == code::ok) {
      limit_ = {parse_limit(answer.data), answer.data.empty(), answer.version};
    }
  }
  if (limit_watch_ == watch::asked) {
    limit_watch_ = answered(answer.code);
  }
}

/// A native contender that comes after the lock node of the leases was made sees that it is there; one that came before is
/// seen here: one of the two gives way. What is not answered makes no difference: nor is the list that is decided by.
void queue_round::looked_beside(const event::looked_beside& answer) {
  if (state_ != state::asked) {
    return;
  }
  mixed_beside_ = std::any_of(answer.children.begin(), answer.children.end(), [](const std::string& child) {
    const auto parsed = parse_contender_name(child);
    return parsed && parsed->kind != contender_kind::foreign;
  });
}

code queue_round::listed(const event::listed& answer) {
  if (children_watch_ == watch::asked) {
    children_watch_ = answered(answer.code);
  }
  if (!under_way()) {
    return answer.code;
  }
  state_ = state::idle;
  return reads_limit_ && limit_code_ != code::ok ? limit_code_ : answer.code;
}

void queue_round::limit_changed() noexcept {
  const bool too_late = under_way() && limit_watch_ == watch::set && limit_code_ == code::ok;
  limit_watch_ = too_late ? watch::fired_while_asked : fired(limit_watch_);
}

void queue_round::drop_watches(action_list& out) {
  if (children_watch_ == watch::set) {
    children_watch_ = watch::none;
    out.push(action::forget_children);
  }
  if (limit_watch_ == watch::set) {
    limit_watch_ = watch::none;
    out.push(action::forget_limit);
  }
}

round_answers queue_round::answers(std::span<const std::string> children) const noexcept {
  return {.children = children,
          .limit = limit_,
          .limit_stale = limit_watch_ == watch::fired_while_asked,
          .mixed_beside = mixed_beside_,
          .watched = limit_is_watched() && children_watch_ == watch::set};
}

}  // namespace zklock::recipes
