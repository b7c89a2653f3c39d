#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/sim/simulation.hpp"

namespace zklock::sim {

/// A simulation that is led by hand, for exact replays. What is to happen is named by a part of its line in the
/// timeline. At its end, or when it is told to finish(), no checker may have found anything.
class stage {
 public:
  explicit stage(scenario plays) : plays_(std::move(plays)), world_(plays_) { world_.write_timeline(&lines_); }
  ~stage() { expect_sound(); }
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  [[nodiscard]] simulation& world() noexcept { return world_; }
  [[nodiscard]] program& client(std::size_t number) { return world_.client(number); }
  [[nodiscard]] testing::ensemble& servers() noexcept { return world_.servers(); }
  [[nodiscard]] instant now() const noexcept { return world_.now(); }

  [[nodiscard]] bool possible(std::string_view text) { return find(text).has_value(); }

  /// Performs the one that is named, now.
  void next(std::string_view text) {
    const std::optional<choice> one = find(text);
    if (!one) {
      ADD_FAILURE() << "cannot happen now: " << text << "\n" << timeline();
      return;
    }
    world_.perform(*one);
  }

  /// Performs whatever else can happen until the named one can; users do nothing.
  void until(std::string_view text) {
    for (int i = 0; i < 1000 && !possible(text); ++i) {
      if (!perform_first([](const choice& one) { return one.what != choice::kind::act; }, "")) {
        break;
      }
    }
    EXPECT_TRUE(possible(text)) << "never came: " << text << "\n" << timeline();
  }

  /// Performs all that can happen without time passing, but for what is named and for users' actions.
  void settle(std::string_view but_for = "") {
    while (perform_first([](const choice& one) { return one.what != choice::kind::act; }, but_for)) {}
  }

  /// The same for users' actions.
  void play(std::string_view but_for = "") {
    while (perform_first([](const choice&) { return true; }, but_for)) {}
  }

  /// Lets time pass, and all that comes with it, but for users' actions and what is named.
  void wait(instant time, std::string_view but_for = "") {
    const instant end = now() + time;
    settle(but_for);
    while (now() < end && !world_.found()) {
      const std::optional<instant> timer = world_.next_timer();
      world_.advance_to(timer && *timer < end ? *timer : end);
      settle(but_for);
    }
  }

  /// The fault must be able to strike.
  void strike(trouble_kind kind, int target = 0) {
    EXPECT_TRUE(world_.strike({kind, target})) << "cannot strike now: " << name(kind) << "\n" << timeline();
  }

  /// Until every program is done, and nothing is left.
  void finish() {
    world_.run_to_end();
    expect_sound();
  }

  [[nodiscard]] std::size_t nodes(std::string_view lock = lock_path) { return servers().children(lock).size(); }
  [[nodiscard]] std::string timeline() const {
    std::string out;
    for (const std::string& line : lines_) {
      out += line + "\n";
    }
    return out;
  }
  [[nodiscard]] std::ptrdiff_t lines_with(std::string_view text) const {
    return std::count_if(lines_.begin(), lines_.end(),
                         [text](const std::string& line) { return line.find(text) != std::string::npos; });
  }

 private:
  void expect_sound() {
    if (const auto found = world_.found(); found && !std::exchange(told_, true)) {
      ADD_FAILURE() << found->checker << ": " << found->what << "\n" << timeline();
    }
  }

  std::optional<choice> find(std::string_view text) {
    world_.collect(options_);
    for (const choice& one : options_) {
      if (world_.describe(one).find(text) != std::string::npos) {
        return one;
      }
    }
    return std::nullopt;
  }

  bool perform_first(const std::function<bool(const choice&)>& wanted, std::string_view but_for) {
    world_.collect(options_);
    for (const choice& one : options_) {
      if (wanted(one) && (but_for.empty() || world_.describe(one).find(but_for) == std::string::npos)) {
        world_.perform(choice(one));
        return true;
      }
    }
    return false;
  }

  const scenario plays_;
  simulation world_;
  std::vector<std::string> lines_;
  std::vector<choice> options_;
  bool told_ = false;
};

inline const user_action acquire{user_action::kind::acquire};
inline const user_action try_once{user_action::kind::try_once};
inline const user_action abandon{user_action::kind::abandon};
inline const user_action reenter{user_action::kind::reenter};
inline const user_action release{user_action::kind::release};
inline const user_action drop{user_action::kind::drop};
inline const user_action look{user_action::kind::list_participants};
inline const user_action write{user_action::kind::write};
inline const user_action close_session{user_action::kind::close};
inline const user_action drop_first{user_action::kind::drop_first};
inline const user_action downgrade{user_action::kind::downgrade};
inline const want reading{0, detail::side::read, 1};
inline const want writing{0, detail::side::write, 1};
inline want permits(std::uint32_t many) { return {0, detail::side::permits, many}; }
inline user_action acquires(std::vector<want> what) {
  return {user_action::kind::acquire, std::nullopt, std::move(what)};
}
inline user_action tries(std::vector<want> what) {
  return {user_action::kind::try_once, std::nullopt, std::move(what)};
}
inline user_action reenters(want what) { return {user_action::kind::reenter, std::nullopt, {what}}; }
inline user_action sets_limit(std::uint32_t to) {
  return {user_action::kind::set_limit, std::nullopt, {permits(1)}, to};
}
inline user_action acquire_within(instant limit) { return {user_action::kind::acquire, limit}; }
inline user_action rest(instant time) { return {user_action::kind::rest, time}; }

}  // namespace zklock::sim
