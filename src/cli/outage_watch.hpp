#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace zklock::cli {

/// Decides when to say that no server is in reach, and that one is again: each once for an outage that lasts for a moment. One
/// thread.
class outage_watch {
 public:
  using instant = std::chrono::steady_clock::time_point;
  enum class news : std::uint8_t { none, begun, over };

  /// `now` never falls.
  [[nodiscard]] news look(bool in_reach, instant now);
  /// When to look again although nothing has changed. Empty: need not be.
  [[nodiscard]] std::optional<instant> next_look() const;

 private:
  std::optional<instant> since_;  ///< of the outage that there is
  bool said_ = false;             ///< of it
};

}  // namespace zklock::cli
