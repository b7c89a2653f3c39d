#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "recipes/answer_chain.hpp"
#include "recipes/beat_pace.hpp"
#include "recipes/granted_timeouts.hpp"

namespace zklock::recipes {

/// How long a holder may believe in its session: min(heard, written) + timeout - margin, where
///
/// - `heard` is the latest instant of ours of which the leader is known to have heard:
///   *chain*: the sending of a request i, when j was sent the relay delay after i's answer, k after j's, and k is answered;
///   *reconnect*: once the first request of a connection is answered, the sending of the latest request that was lost with
///   a connection, or an attempt at one, before it; in a new session the instant before its handle was opened;
/// - `written` is the sending of the latest answered write: a quorum has acknowledged it, so no leader older than it ends us;
/// - `timeout` is the least that this session was granted, less what two clocks may drift apart in it.
///
/// docs/design/deadline.md derives it. Reads, events and CONNECTED prove nothing (F101, F103); so do two requests back to
/// back, whose touch a follower may not have told its leader (F102, F110).
///
/// Requests are writes and syncs; those that are sent are answered in their order. Not thread-safe.
class local_deadline {
 public:
  using request_kind = recipes::request_kind;

  explicit local_deadline(const deadline_wishes& wishes = {}) : timeouts_(wishes) {}

  /// A new session is to come, on a handle that is opened right after `now`. `adopted`: it was opened before, by the program.
  void opened(instant now, bool adopted);
  /// A server says that a connection stands, and grants a timeout. If that is less than ever before: the instant beyond
  /// which the deadline must not be now.
  std::optional<instant> connected(std::chrono::nanoseconds granted);

  /// It is being submitted, with or without a connection.
  void sent(std::uint64_t request, request_kind kind, instant now);
  /// So is a beat, and sent() says so as well.
  void beat(request_kind kind, instant now) noexcept { pace_.beat(kind, now); }
  /// The leader has answered it, whatever the answer, and the answer was seen now. The deadline that is proven, if any is.
  std::optional<instant> answered(std::uint64_t request, instant now);
  /// The leader has not answered it. `connection_lost`: a connection, or an attempt at one, has ended meanwhile. Not: it was
  /// not sent, since then it may be younger than the next connection (F181).
  void failed(std::uint64_t request, bool connection_lost);

  /// From what the leader is known to have heard of to the latest request that it has answered.
  [[nodiscard]] std::chrono::nanoseconds lag() const noexcept {
    return heard_ && latest_sent_ ? *latest_sent_ - *heard_ : std::chrono::nanoseconds{0};
  }
  /// What one more answered request would move `heard` by, if it were sent now.
  [[nodiscard]] std::chrono::nanoseconds gain_of_another() const;
  /// The earliest instant at which a request, followed by another one behind its answer, proves more than is known.
  [[nodiscard]] std::optional<instant> next_step() const;
  /// Whether the deadline cannot be ahead of `now` before a write is answered, and none is under way.
  [[nodiscard]] bool lacks_write(instant now) const;
  /// From when on the next beat is due; before the first request: since the handle was opened.
  [[nodiscard]] const beat_pace& pace() const noexcept { return pace_; }
  /// Of the timeouts that were granted. Zero before the first connection.
  [[nodiscard]] const deadline_terms& terms() const noexcept { return timeouts_.terms(); }
  /// The least timeout that was granted, and the greatest.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return terms().timeout; }
  [[nodiscard]] std::chrono::nanoseconds longest_timeout() const noexcept { return timeouts_.greatest(); }

 private:
  struct pending {
    std::uint64_t request;
    request_kind kind;
    instant sent_at;
  };
  explicit local_deadline(const granted_timeouts& timeouts) : timeouts_(timeouts) {}
  std::optional<pending> take(std::uint64_t request);
  [[nodiscard]] instant deadline_from(instant heard) const;

  granted_timeouts timeouts_;
  answer_chain answers_;
  std::deque<pending> pending_;         ///< in the order of sending
  std::optional<instant> failed_;       ///< the latest sending of what has failed: the next connection is begun later
  std::optional<instant> reconnected_;  ///< the same, when this connection was heard of
  std::optional<instant> heard_;
  std::optional<instant> written_;
  std::optional<instant> latest_sent_;  ///< of the answered ones, on any connection of the session
  beat_pace pace_;
};

}  // namespace zklock::recipes
