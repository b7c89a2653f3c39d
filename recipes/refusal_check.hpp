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
/// | counting | failed attempts of the handle, at each server at least one            | asking; the second time: refused |
/// | refused  | the next handle                                                       |                               |
///
/// Twice: a server may have gone down right behind its answer. A connection of the handle ends all of this.
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
  /// There is no newcomer (any more), and its write was not answered.
  void newcomer_failed(instant now) noexcept;
  void newcomer_served() noexcept;
  /// An attempt of the handle to connect has failed. `attempts_per_round`: so many, one after the other, try each
  /// server.
  void attempt_failed(std::size_t attempts_per_round) noexcept;

  bool operator==(const refusal_check&) const = default;

 private:
  state state_ = state::resting;
  instant at_{0};  ///< waiting: until then
  std::chrono::nanoseconds timeout_{0};
  std::size_t failures_ = 0;  ///< counting: of this round
  int rounds_ = 0;
};

}  // namespace zklock::recipes
