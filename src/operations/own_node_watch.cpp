#include "src/operations/own_node_watch.hpp"

#include <algorithm>
#include <utility>

#include "src/operations/contender_operation.hpp"

namespace zklock::operations {
namespace {

/// Until a contender's own node is watched, or asked for again.
constexpr int looks_per_timeout = 12;

engine::instant interval(const engine::out& wants) { return wants.session().timeout / looks_per_timeout; }

/// Its contender, which leaves the queue.
template <class Queue>
std::uint64_t pop(Queue& queue) {
  const std::uint64_t contender = queue.front().contender;
  queue.pop_front();
  return contender;
}

template <class Queue>
bool is_due(const Queue& queue, engine::instant now) {
  return !queue.empty() && queue.front().due <= now;
}

}  // namespace

/// Those before it that have ended go: holds that are shorter than an interval cost no timer.
void own_node_watch::watch_soon(std::uint64_t contender, engine::out& wants) {
  wants.call(number(), [this, contender](engine::out& its) {
    while (!once_.empty() && nodes_.find(once_.front().contender) == nullptr) {
      once_.pop_front();
    }
    once_.push_back({contender, its.session().now + interval(its)});
  });
}

void own_node_watch::look_again(std::uint64_t contender, engine::out& wants) {
  wants.call(number(), [this, contender](engine::out& its) {
    if (takes_turns_.insert(contender).second) {
      in_turn_.push_back({contender, its.session().now + interval(its)});
    }
  });
}

void own_node_watch::session_over(const engine::session_end&, engine::out&) {
  connected_ = false;
  once_.clear();
  in_turn_.clear();
  takes_turns_.clear();
  interval_ends_ = engine::instant{0};
  turns_left_ = 0;
}

void own_node_watch::timer(engine::out& wants) {
  for (std::size_t looks = 0; looks < wants.session().slice; ++looks) {
    contender_operation* const next = take(wants);
    if (next == nullptr) {
      return;
    }
    wants.call(next->number(), [next](engine::out& its) { next->look_after_own(its); });
  }
}

contender_operation* own_node_watch::take(const engine::out& wants) {
  const engine::instant now = wants.session().now;
  while (is_due(once_, now)) {
    if (contender_operation* const next = nodes_.find(pop(once_))) {
      return next;
    }
  }
  while (is_due(in_turn_, now) && may_take_turn(wants)) {
    const std::uint64_t contender = pop(in_turn_);
    takes_turns_.erase(contender);
    if (contender_operation* const next = nodes_.find(contender)) {
      --turns_left_;
      return next;
    }
  }
  return nullptr;
}

bool own_node_watch::may_take_turn(const engine::out& wants) {
  if (wants.session().now >= interval_ends_) {
    interval_ends_ = wants.session().now + interval(wants);
    turns_left_ = turns_per_interval;
  }
  return turns_left_ > 0;
}

std::optional<engine::instant> own_node_watch::due() const {
  if (!connected_) {
    return std::nullopt;
  }
  std::optional<engine::instant> first;
  if (!once_.empty()) {
    first = once_.front().due;
  }
  if (!in_turn_.empty()) {
    const engine::instant turn =
        turns_left_ > 0 ? in_turn_.front().due : std::max(in_turn_.front().due, interval_ends_);
    first = first ? std::min(*first, turn) : turn;
  }
  return first;
}

}  // namespace zklock::operations
