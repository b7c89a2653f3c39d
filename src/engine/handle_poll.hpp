#pragma once

#include <chrono>
#include <optional>

#include "recipes/local_deadline.hpp"
#include "src/port/client.hpp"

namespace zklock::engine {

using recipes::instant;

/// When an adopted handle is looked at: an idle one tells nothing by itself, neither that it is connected again nor that its
/// session is over (F147).
class handle_poll {
 public:
  void begin(instant now) noexcept { at_ = now; }
  void disconnected(instant now) noexcept { at_ = now + interval_unconnected; }
  void end() noexcept { at_.reset(); }

  [[nodiscard]] std::optional<instant> due() const noexcept { return at_; }
  /// Polls the handle, if that is due and there is one. What it says comes as an event, perhaps within this call.
  void poll_if_due(client::connection* handle, bool connected, std::chrono::nanoseconds timeout, instant now);

 private:
  static constexpr std::chrono::nanoseconds interval_unconnected = std::chrono::milliseconds(100);
  static constexpr int polls_per_timeout = 12;

  std::optional<instant> at_;  ///< nothing: the handle is our own, or there is none
};

}  // namespace zklock::engine
