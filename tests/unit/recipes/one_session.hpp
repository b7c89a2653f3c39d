#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/contender.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/queue_with_members.hpp"

/// The contenders of one session at one lock node, with the queue that they share: what a client does with it.
namespace zklock::recipes::words {

class one_session {
 public:
  /// Which of them, in the order in which they are made.
  using place = std::size_t;

  place add(const acquire_spec& wanted = {}, bool one_try = false) {
    const std::uint64_t number = contenders_.size() + 1;
    contenders_.push_back({contender({number, number}, wanted, one_try), {}, false});
    return contenders_.size() - 1;
  }
  /// It is connected, and its create is answered with that number. What its last action was.
  std::string enter(place one, int number) {
    tell(one, event::connected{});
    return created(one, number);
  }
  /// It is alone there, and is granted.
  place holder(int number, const acquire_spec& wanted = {}) {
    const place one = add(wanted);
    enter(one, number);
    listed(one, {name_of(one)});
    return one;
  }
  /// It stands right behind another one of the session.
  place follower(int number, const acquire_spec& wanted = {}) {
    const place one = add(wanted);
    enter(one, number);
    return one;
  }

  std::string created(place one, int number) {
    const std::string name = name_with(std::string(contenders_[one].machine.prefix()), number);
    return tell(one, event::created{code::ok, name, {number}});
  }
  std::string listed(place one, const std::vector<std::string>& children) {
    return tell(one, event::listed{code::ok, children});
  }
  std::string tell(place one, std::string_view word) {
    return tell(one, event_of(word, contenders_[one].machine.wanted()));
  }
  /// What it answers; then the others are told what it has said to them.
  std::string tell(place one, const contender_event& what) {
    const std::string answer = resume(one, what);
    while (!inbox_.empty()) {
      const auto [other, next] = inbox_.front();
      inbox_.pop_front();
      const std::string said = resume(other, next);
      contenders_[other].heard += (contenders_[other].heard.empty() ? "" : ", ") + said;
    }
    return answer;
  }
  /// What it has answered to the words of others since it was asked last. Nothing: it was told nothing.
  std::string heard(place one) { return std::exchange(contenders_[one].heard, {}); }

  [[nodiscard]] const contender& machine(place one) const { return contenders_[one].machine; }
  [[nodiscard]] std::string name_of(place one) const { return std::string(machine(one).own()); }
  [[nodiscard]] bool is_granted(place one) const { return machine(one).is_granted(); }
  [[nodiscard]] const queue_with_members& queue() const { return queue_; }

  [[nodiscard]] static std::string name_with(const std::string& prefix, int number) {
    const std::string digits = std::to_string(number);
    return prefix + std::string(10 - digits.size(), '0') + digits;
  }

 private:
  struct member {
    contender machine;
    std::string heard;
    bool left = false;
  };

  std::string resume(place one, const contender_event& what) {
    member& its = contenders_[one];
    const action_list actions = its.machine.resume(what, queue_);
    if (its.left) {
      return word_of(actions);
    }
    queue_.update(its.machine, one);
    for (const action asked : actions) {
      switch (asked) {
        case action::pass_on:
          if (const auto* const next = queue_.find(its.machine.successor())) {
            inbox_.emplace_back(next->number, event::passed_on{});
          }
          break;
        case action::tell_of_mark:
          for (const auto& waiter : queue_.told_by(its.machine)) {
            inbox_.emplace_back(waiter.number, event::predecessor_watched{code::ok, true, its.machine.mode()});
          }
          break;
        case action::finish: leave(its, one); break;
        default: break;
      }
    }
    return word_of(actions);
  }

  void leave(member& its, place one) {
    for (const auto& waiter : queue_.told_by(its.machine)) {
      inbox_.emplace_back(waiter.number, event::predecessor_left{});
    }
    queue_.remove(its.machine, one);
    its.left = true;
  }

  std::deque<member> contenders_;  ///< the queue points to them
  queue_with_members queue_;
  std::deque<std::pair<place, contender_event>> inbox_;
};

inline constexpr acquire_spec to_read{contender_kind::read};
inline constexpr acquire_spec to_write{contender_kind::write};

/// Of another session.
[[nodiscard]] inline std::string stranger(int number) {
  return one_session::name_with("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-lock-", number);
}

}  // namespace zklock::recipes::words
