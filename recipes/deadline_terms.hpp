#pragma once

#include <chrono>

namespace zklock::recipes {

/// What was asked for is not known: the server may have raised it.
inline constexpr std::chrono::nanoseconds asked_unknown{0};

/// What a session's user asks of its deadline.
struct deadline_wishes {
  std::chrono::nanoseconds timeout = asked_unknown;
  std::chrono::nanoseconds tick{0};    ///< the greatest of the servers'; 0: assumed_tick()
  std::chrono::nanoseconds margin{0};  ///< 0: a twelfth of the timeout
};

/// What a timeout that the servers have granted leaves.
struct deadline_terms {
  std::chrono::nanoseconds timeout{0};
  std::chrono::nanoseconds tick{0};
  /// The least time from the deadline to the earliest instant at which a server may remove the node.
  std::chrono::nanoseconds margin{0};

  /// After so long a leader has asked its followers of which sessions they have heard: it does so each half tick, and its
  /// thread may be late by a twentieth of a tick.
  [[nodiscard]] std::chrono::nanoseconds relay_delay() const noexcept { return tick / 2 + tick / 20; }
  /// How often a holder sends. Two in a relay delay, so that the deadline lags it by little more than that.
  [[nodiscard]] std::chrono::nanoseconds dense_beat() const noexcept;
  /// Whether fewer keep it ahead while nothing else is heard, each with another one behind its answer: the relay delay is over
  /// between two of them, and the margin leaves a frozen follower the time until the client goes to another one.
  [[nodiscard]] bool pairs_suffice() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds pair() const noexcept { return timeout / 5; }
  [[nodiscard]] std::chrono::nanoseconds default_margin() const noexcept { return timeout / 12; }
  /// The timeout on a clock that runs too fast: the kernel slews one by at most 500 ppm, and there are two.
  [[nodiscard]] std::chrono::nanoseconds certain_timeout() const noexcept { return timeout - timeout / 1000; }
};

/// The servers' tick where the user has not said it. `raised`: by the servers, or not known. By ZooKeeper's own bounds no session
/// timeout is less than two ticks, and a raised one is two ticks; a tick that is not configured is 3 s.
[[nodiscard]] std::chrono::nanoseconds assumed_tick(std::chrono::nanoseconds timeout, bool raised) noexcept;

/// The greatest margin with which a holder's beats keep the deadline ahead. Zero: there is none.
[[nodiscard]] std::chrono::nanoseconds greatest_margin(std::chrono::nanoseconds timeout,
                                                       std::chrono::nanoseconds tick) noexcept;
/// The greatest tick that leaves room for the default margin.
[[nodiscard]] std::chrono::nanoseconds greatest_tick(std::chrono::nanoseconds timeout) noexcept;

/// `margin` 0: a twelfth of the timeout. The terms have the greatest margin that there is, when that is less.
[[nodiscard]] deadline_terms terms_of(std::chrono::nanoseconds timeout, std::chrono::nanoseconds tick,
                                      std::chrono::nanoseconds margin) noexcept;

/// As long as the servers grant what is asked for.
[[nodiscard]] deadline_terms expected_terms(const deadline_wishes& wishes) noexcept;

}  // namespace zklock::recipes
