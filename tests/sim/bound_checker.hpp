#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/engine/hold.hpp"
#include "src/port/client.hpp"
#include "tests/sim/wanted.hpp"

namespace zklock::sim {

/// What must hold of holds with a bound of their own (lock_plan::max_hold), judged from what their users are told and ask.
///
/// | name | says |
/// |---|---|
/// | bound_kept | nothing is held beyond its bound, which begins with the grant and moves by an extension alone |
/// | bound_alone | by its bound nothing is lost before it |
/// | extended_in_time | what is over is not extended |
/// | node_stands_for_the_margin | no client removes the node of what its bound has ended, before the margin is over or its
/// user has given it back |
class bound_checker {
 public:
  using instant = std::chrono::nanoseconds;
  using reporter = std::function<void(std::string checker, std::string what)>;
  bound_checker(const std::vector<lock_plan>& locks, reporter report) : locks_(locks), report_(std::move(report)) {}

  /// Of holds from here on.
  void set_margin(instant margin) noexcept { margin_ = margin; }
  void granted(const std::shared_ptr<detail::hold>& hold, instant now) { granted(hold, hold, now); }
  void extended(const detail::hold& hold, bool accepted, instant to);
  void released(const detail::hold& hold);
  void loss_told(const detail::hold& hold);
  void asked(const client::any_request& what);
  void time_is(instant now);

 private:
  struct bound {
    std::shared_ptr<detail::hold> hold;
    std::shared_ptr<detail::hold> whole;  ///< that it is a part of, or itself
    instant ends;
    bool released = false;
  };
  void granted(const std::shared_ptr<detail::hold>& hold, const std::shared_ptr<detail::hold>& whole, instant now);
  [[nodiscard]] instant max_hold_of(const detail::hold& hold) const;
  [[nodiscard]] static bool is_or_has(const detail::hold& whole, const detail::hold& part);
  void removed(std::string_view path);

  const std::vector<lock_plan>& locks_;
  const reporter report_;
  instant margin_{0};
  instant now_{0};
  std::vector<bound> bounds_;
};

}  // namespace zklock::sim
