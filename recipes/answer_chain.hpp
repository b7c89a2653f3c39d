#pragma once

#include <chrono>
#include <deque>
#include <optional>

namespace zklock::recipes {

/// Nanoseconds of a clock that also runs while the machine sleeps. A value that comes in; nothing here asks a clock.
using instant = std::chrono::nanoseconds;

/// The answered requests of one connection, and what they prove of what the leader has heard. A follower tells its leader
/// of a session when it is asked, so that an answer proves it only of requests that were sent well before: of a request i,
/// when j was sent the relay delay after i's answer was seen, k after j's, and k is answered (docs/design/deadline.md).
///
/// They are answered in the order of their sending.
class answer_chain {
 public:
  struct answer {
    instant sent_at;
    instant seen_at;
  };

  /// Another connection.
  void clear() noexcept;
  /// The request k that was sent then is answered: the sending of i, if there is one. What is older is no longer needed.
  std::optional<instant> proven_by(instant sent_at, std::chrono::nanoseconds relay_delay);
  /// Besides the latest, answers to requests that were sent at least `apart` from each other are kept: a busy session has many.
  void keep(const answer& one, std::chrono::nanoseconds apart);

  /// Of the answers that were kept, or nothing.
  [[nodiscard]] const std::optional<answer>& latest() const noexcept { return latest_; }
  /// What the answer to a request that is sent now would prove.
  [[nodiscard]] std::optional<instant> provable(std::chrono::nanoseconds relay_delay) const;
  /// The first answer to a request that was sent after this instant.
  [[nodiscard]] std::optional<answer> first_behind(std::optional<instant> sent_at) const;

 private:
  [[nodiscard]] const answer* last_seen_by(instant when) const;

  std::deque<answer> answers_;
  std::optional<answer> latest_;
};

}  // namespace zklock::recipes
