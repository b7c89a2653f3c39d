#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "recipes/local_deadline.hpp"

namespace zklock::recipes {

/// Whether the servers refuse a handle for good. A server closes each connect of a client that has seen more than it knows,
/// without a word (its data are lost, or are an older copy), and then no expiry is ever told (F183).
///
/// Asked of a *newcomer*, a second handle in a session of its own. Once a server has answered its quorum write, that server
/// knows all that was committed before. So if the handle has seen the same history, that server takes it; if it closes
/// each attempt of the handle, the handle has seen another history. Until then the handle may be between two
/// attempts, or its servers may be down: its session may live, with its place in each queue.
///
/// | state    | waits for                                                             | goes on with                  |
/// |----------|-----------------------------------------------------------------------|-------------------------------|
/// | resting  | the loss of the connection                                            | waiting                       |
/// | waiting  | the instant at which to ask: a session timeout after the loss         | asking                        |
/// | asking   | the answer to the newcomer's quorum write; then the newcomer is closed| counting; without it: waiting |
/// | counting | attempts of the handle that a server closes, as many as try each one  | asking; the second time: refused |
/// | refused  | the next handle                                                       |                               |
///
/// An attempt that finds no server does not count: servers that are down refuse nobody's history. Twice: a server may have lost
/// its leader right behind its answer, and closes what comes then. A connection of the handle ends all of this.
class refusal_check {
 public:
  enum class state : std::uint8_t { resting, waiting, asking, counting, refused };

  [[nodiscard]] state now() const noexcept { return state_; }
  /// When timer() is to be called.
  [[nodiscard]] std::optional<instant> due() const noexcept;

  /// The handle has lost its connection in a session.
  void disconnected(instant now, std::chrono::nanoseconds session_timeout) noexcept;
  /// The handle is connected, or is given up.
  void end() noexcept { *this = {}; }
  /// True: a newcomer is to be opened.
  [[nodiscard]] bool timer(instant now) noexcept;
  /// There is no newcomer (any more), and its write was not answered; or what became of the handle's attempt is not clear.
  void interrupted(instant now) noexcept;
  void newcomer_served() noexcept;
  /// A server has closed an attempt of the handle to connect. `attempts_per_round`: so many, one after the other, try each
  /// server.
  void attempt_closed(std::size_t attempts_per_round) noexcept;

  bool operator==(const refusal_check&) const = default;

 private:
  state state_ = state::resting;
  instant at_{0};  ///< waiting: until then
  std::chrono::nanoseconds timeout_{0};
  std::size_t closed_ = 0;  ///< counting: attempts of this round
  int rounds_ = 0;
};

}  // namespace zklock::recipes
