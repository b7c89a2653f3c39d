#pragma once

#include <atomic>

#include "src/port/client.hpp"

namespace zklock::client {

/// What an observer was told of its session last. It is told changes alone, and nothing more once the handle is dead.
/// The thread that has the turn; `connected()`: any thread.
class told_session {
 public:
  /// Whether that is a change; then it is what was told from now on.
  [[nodiscard]] bool change_to(const session_event& event) noexcept {
    if (over() ||
        (event.state == told_.state && event.session_id == told_.session_id && event.timeout == told_.timeout)) {
      return false;
    }
    told_ = event;
    connected_ = event.state == connection_state::connected;
    return true;
  }
  /// The handle is dead.
  [[nodiscard]] bool over() const noexcept {
    return told_.state == connection_state::expired || told_.state == connection_state::auth_failed;
  }
  [[nodiscard]] bool connected() const noexcept { return connected_; }

 private:
  session_event told_;
  std::atomic<bool> connected_ = false;
};

}  // namespace zklock::client
