#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace zklock::recipes {

/// Nanoseconds of a clock that also runs while the machine sleeps. A value that comes in; nothing here asks a clock.
using instant = std::chrono::nanoseconds;

/// What was asked for is not known: the server may have raised it.
inline constexpr std::chrono::nanoseconds asked_unknown{0};

/// How long before the earliest instant at which the server may end the session a hold is given up. `wanted`: 0: a sixth of
/// the timeout that was granted. A server that has granted more than was asked for may have a tick as long as half of it:
/// it expires that much less exactly.
[[nodiscard]] std::chrono::nanoseconds margin_of(std::chrono::nanoseconds wanted, std::chrono::nanoseconds asked,
                                                 std::chrono::nanoseconds granted) noexcept;

/// How long the holder may believe in its session, reckoned from answered writes and syncs alone.
///
/// An answer proves that the session was touched, at the leader, by the request before it at the latest; so an answer to
/// a request sent at s moves the deadline to
///
///     max(min(send time of the previous answered one on this connection, settled + T/6), s - T/3) + T - margin
///
/// Reads, events and a CONNECTED move nothing: a follower that is cut off from its leader still gives them (F101, F103).
/// A follower tells its leader whom it has heard of each half tick, so a touch may be under way for T/6; what is sent
/// behind it meanwhile proves nothing of it (F102). `settled` is the send time of the last request that was answered
/// T/6 before s: of that one the leader knows. With a heartbeat every T/12 the first term is the previous one's send time.
/// The term s - T/3 rests on the client's own pings, which it sends when it was idle for T/3; it does not count for a
/// time in which the process stood still.
/// Assumes that a tick of the servers is at the most T/3.
///
/// Requests are answered in the order in which they were sent. Not thread-safe.
class local_deadline {
 public:
  /// A connection stands. `timeout` is the one that the server has granted, `margin` is taken off. What was sent on the
  /// connection before is not answered on this one.
  void connected(std::chrono::nanoseconds timeout, std::chrono::nanoseconds margin);
  /// The connection is gone, and so are the answers that were to come on it.
  void disconnected();
  /// A new session: everything is forgotten.
  void reset();

  /// A write or a sync is being sent.
  void sent(std::uint64_t request, instant now);
  /// It was answered by a server, whatever the answer, and the answer was seen now. The deadline that this proves, if it
  /// proves any.
  std::optional<instant> answered(std::uint64_t request, instant now);
  /// The process has stood still, until now: nobody knows whether the client has sent its pings.
  void stood_still(instant now);
  /// It was not answered by a server.
  void failed(std::uint64_t request);

  /// When the last write or sync was sent on this connection; nothing if none was.
  [[nodiscard]] std::optional<instant> last_sent() const noexcept { return last_sent_; }
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return timeout_; }

 private:
  struct pending {
    std::uint64_t request;
    instant sent_at;
  };
  struct proof {
    instant sent_at;
    instant answered_at;
  };
  std::optional<instant> take(std::uint64_t request);
  [[nodiscard]] std::optional<instant> known_to_leader(instant sent_at);

  std::chrono::nanoseconds timeout_{0};
  std::chrono::nanoseconds margin_{0};
  std::deque<pending> pending_;        ///< in the order of sending
  std::deque<proof> answered_;         ///< on this connection; of those older than T/6 only the last is kept
  std::optional<instant> runs_since_;  ///< nothing: it has not stood still in this session
  std::optional<instant> last_sent_;
};

}  // namespace zklock::recipes
