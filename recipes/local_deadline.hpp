#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace zklock::recipes {

/// Nanoseconds of a clock that also runs while the machine sleeps. A value that comes in; nothing here asks a clock.
using instant = std::chrono::nanoseconds;

/// How long the holder may believe in its session, reckoned from answered writes and syncs alone.
///
/// An answer proves that the session was touched, at the leader, by the request before it at the latest; so an answer to
/// a request sent at s moves the deadline to
///
///     max(send time of the previous answered one on this connection, s - T/3) + T - margin
///
/// Reads, events and a CONNECTED move nothing: a follower that is cut off from its leader still gives them (F101, F103);
/// and a touch may be told to the leader late, by as much as the term s - T/3 allows for (F102).
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
  /// It was answered by a server, whatever the answer. The deadline that this proves, if it proves any.
  std::optional<instant> answered(std::uint64_t request);
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
  std::optional<instant> take(std::uint64_t request);

  std::chrono::nanoseconds timeout_{0};
  std::chrono::nanoseconds margin_{0};
  std::deque<pending> pending_;           ///< in the order of sending
  std::optional<instant> previous_;       ///< send time of the last answered one on this connection
  std::optional<instant> last_sent_;
};

}  // namespace zklock::recipes
