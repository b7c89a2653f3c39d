#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include <zklock/clock.hpp>

namespace zklock::cli {

/// When to look at the lock's deadline, for the guardian's sake, and whether it is to be told. The nearer the deadline, the
/// more often: an answer that moves it may come at the last moment.
class deadline_relay {
 public:
  using instant = boot_clock::time_point;

  /// `period`: of the session's heartbeat, with which the deadline moves.
  deadline_relay(boot_clock::duration period, instant told) : period_(period), told_(told) {}

  [[nodiscard]] instant next_look() const noexcept { return next_look_; }
  [[nodiscard]] bool is_due(instant now) const noexcept { return now >= next_look_; }
  /// What the guardian was told last.
  [[nodiscard]] instant told() const noexcept { return told_; }

  /// `send(valid_until)` is called if the deadline has moved. False: it was not told; it will be tried again.
  template <class Tell>
  void look(instant now, instant valid_until, Tell&& send) {
    if (valid_until != told_ && send(valid_until)) {
      told_ = valid_until;
    }
    next_look_ = now + std::clamp<boot_clock::duration>((told_ - now) / 2, pause_shortest, period_);
  }

 private:
  static constexpr boot_clock::duration pause_shortest = std::chrono::milliseconds(1);

  const boot_clock::duration period_;
  instant told_;
  instant next_look_{};
};

}  // namespace zklock::cli
