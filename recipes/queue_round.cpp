#include "recipes/queue_round.hpp"

#include <algorithm>
#include <utility>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {

queue_round::queue_round(bool reads_limit, bool lists_siblings, const limit_node& known)
    : reads_limit_(reads_limit), lists_siblings_(lists_siblings), limit_(known) {}

void queue_round::look(action how, action_list& out) {
  state_ = state::asked;
  if (!limit_is_known()) {
    limit_code_ = code::connection_loss;  // what has not been answered is unknown
    out.push(action::read_limit);
  }
  if (lists_siblings_) {
    out.push(action::list_siblings);
  }
  out.push(how);
}

void queue_round::look_with_watches(action_list& out) {
  state_ = state::asked_with_watches;
  if (!limit_is_watched() || !limit_is_known()) {
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
      limit_ = {parse_limit(answer.data), answer.data.empty(), answer.version, answer.written};
    }
  }
  if (limit_watch_ == watch::asked) {
    limit_watch_ = answered(answer.code);
  }
}

/// A native contender that comes after the lock node of the leases was made sees that it is there; one that came before is
/// seen here: one of the two gives way. What is not answered makes no difference: nor is the list that is decided by.
void queue_round::siblings_listed(const event::siblings_listed& answer) {
  if (state_ != state::asked || !lists_siblings_) {
    return;
  }
  mixed_beside_ = std::any_of(answer.children.begin(), answer.children.end(), [](std::string_view child) {
    const auto parsed = parse_contender_name(child);
    return parsed && parsed->kind != contender_kind::foreign;
  });
}

round_answers queue_round::listed(const event::listed& answer) {
  if (children_watch_ == watch::asked) {
    children_watch_ = answered(answer.code);
  }
  const bool stale = reads_limit_ && answer.code == code::ok && answer.written != limit_.written;
  limit_.written = stale || answer.code == code::no_node ? 0 : limit_.written;
  const code of_limit = std::exchange(limit_code_, code::ok);
  state_ = under_way() ? state::idle : state_;
  return {.failure = of_limit != code::ok ? of_limit : answer.code,
          .children = answer.children,
          .index = answer.index,
          .changed = answer.changed,
          .lock_node = answer.lock_node,
          .limit = limit_,
          .limit_stale = stale,
          .mixed_beside = std::exchange(mixed_beside_, false),
          .children_watched = children_watch_ == watch::set,
          .watched = limit_is_watched() && children_watch_ == watch::set};
}

/// The event comes before any answer that shows the change: what is known of the limit is older.
void queue_round::limit_changed() noexcept {
  limit_watch_ = fired(limit_watch_);
  limit_.written = 0;
}

void queue_round::end(action_list& out) {
  state_ = state::idle;
  limit_code_ = code::ok;
  mixed_beside_ = false;
  drop_watches(out);
}

void queue_round::drop_watches(action_list& out) {
  if (children_watch_ == watch::set) {
    children_watch_ = watch::none;
    out.push(action::forget_children);
  }
  if (limit_watch_ == watch::set) {
    out.push(action::forget_limit);
  }
  limit_watch_ = limit_watch_ == watch::asked ? watch::asked : watch::none;
}

}  // namespace zklock::recipes
