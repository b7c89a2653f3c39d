#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "recipes/local_deadline.hpp"

namespace zklock::detail {

using recipes::instant;

/// When contenders look at their own nodes. A holder does so soon after its grant, when it gets its watch (F13), and a waiter
/// soon after it has begun to wait. A contender that gets none, since the budget of watches is used up, looks again and
/// again: in turn, and no more than `turns_per_interval` of these in an interval, so that the load does not grow with their
/// number (F149).
///
/// Invariant: both queues are in the order of `due`; a contender stands in turn at most once. On the session's strand.
class own_node_looks {
 public:
  static constexpr std::size_t turns_per_interval = 100;

  /// Those before it that do not stand any more go: holds that are shorter than that cost no timer.
  template <class Stands>
  void once(std::uint64_t contender, instant due, const Stands& stands) {
    while (!once_.empty() && !stands(once_.front().contender)) {
      once_.pop_front();
    }
    once_.push_back({contender, due});
  }
  void in_turn(std::uint64_t contender, instant due) {
    if (takes_turns_.insert(contender).second) {
      in_turn_.push_back({contender, due});
    }
  }
  void clear() { *this = {}; }

  /// The next one that is due, which leaves its queue. Holders for which `stands` says no are left out, and cost no
  /// turn.
  template <class Stands>
  [[nodiscard]] std::optional<std::uint64_t> take(instant now, std::chrono::nanoseconds interval,
                                                  const Stands& stands) {
    while (is_due(once_, now)) {
      if (const std::uint64_t contender = pop(once_); stands(contender)) {
        return contender;
      }
    }
    while (is_due(in_turn_, now) && may_take_turn(now, interval)) {
      const std::uint64_t contender = pop(in_turn_);
      takes_turns_.erase(contender);
      if (stands(contender)) {
        --turns_left_;
        return contender;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<instant> due() const {
    std::optional<instant> first;
    if (!once_.empty()) {
      first = once_.front().due;
    }
    if (!in_turn_.empty()) {
      const instant turn = turns_left_ > 0 ? in_turn_.front().due : std::max(in_turn_.front().due, interval_ends_);
      first = first ? std::min(*first, turn) : turn;
    }
    return first;
  }

 private:
  struct look {
    std::uint64_t contender;
    instant due;
  };

  static bool is_due(const std::deque<look>& queue, instant now) { return !queue.empty() && queue.front().due <= now; }
  static std::uint64_t pop(std::deque<look>& queue) {
    const std::uint64_t contender = queue.front().contender;
    queue.pop_front();
    return contender;
  }
  bool may_take_turn(instant now, std::chrono::nanoseconds interval) {
    if (now >= interval_ends_) {
      interval_ends_ = now + interval;
      turns_left_ = turns_per_interval;
    }
    return turns_left_ > 0;
  }

  std::deque<look> once_;
  std::deque<look> in_turn_;
  std::unordered_set<std::uint64_t> takes_turns_;  ///< those in `in_turn_`
  instant interval_ends_{0};
  std::size_t turns_left_ = 0;
};

}  // namespace zklock::detail
