#pragma once

#include <functional>
#include <string>

#include <zklock/session.hpp>

#include "src/cli/outage_watch.hpp"

namespace zklock::cli {

/// Says on stderr once of each outage that lasts for a moment that no server is in reach, and when one is again. Also of one from
/// the start on. One thread.
class outage_notice {
 public:
  /// `on_end`: called when a server is in reach again, and that was said.
  explicit outage_notice(
      const session& of, std::function<void()> on_end = [] {});

  /// At each change of the session's state, and when milliseconds_left() are over.
  void look();
  /// Until look() is to be called without a change: for poll(). -1: no such time.
  [[nodiscard]] int milliseconds_left() const;

 private:
  const session& session_;
  const std::function<void()> on_end_;
  outage_watch watch_;
};

/// With what the last attempt to connect has met, if that is known.
[[nodiscard]] std::string describe_no_server(const session& of);

}  // namespace zklock::cli
