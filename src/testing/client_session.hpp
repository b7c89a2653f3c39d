#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "src/port/client.hpp"

namespace zklock::testing {

/// What a handle knows of its session, and what the leader has been told of its timeout.
class client_session {
 public:
  explicit client_session(std::chrono::milliseconds wanted, const client::session_key& resumed = {})
      : id_(resumed.id == 0 || resumed.password == password_of(resumed.id) ? resumed.id : unknown), timeout_(wanted) {}

  [[nodiscard]] static std::string password_of(std::int64_t id) { return "of " + std::to_string(id); }

  [[nodiscard]] std::int64_t id() const noexcept { return id_; }  ///< 0: none yet
  /// Granted last; asked for when the client connects again.
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  [[nodiscard]] std::int64_t seen() const noexcept { return seen_; }  ///< the C client's lastZxidSeen

  /// The client hears that it is connected.
  void granted(std::int64_t id, std::chrono::milliseconds timeout) noexcept;
  /// The leader hears of a connection with that timeout, and the client may never hear of it.
  void applied(std::chrono::milliseconds timeout) noexcept { least_applied_ = std::min(least_applied_, timeout); }
  void see(std::int64_t zxid) noexcept { seen_ = std::max(seen_, zxid); }

  /// The leader goes by a smaller timeout than all that the client has heard of.
  [[nodiscard]] bool lowered_untold() const noexcept { return least_applied_ < least_told_; }

 private:
  static constexpr std::int64_t unknown = -1;  ///< no session has it

  std::int64_t id_;
  std::chrono::milliseconds timeout_;
  std::int64_t seen_ = 0;
  std::chrono::milliseconds least_told_{0};  ///< of this session
  std::chrono::milliseconds least_applied_{0};
};

inline void client_session::granted(std::int64_t id, std::chrono::milliseconds timeout) noexcept {
  if (id != id_) least_told_ = least_applied_ = timeout;
  id_ = id;
  timeout_ = timeout;
  least_told_ = std::min(least_told_, timeout);
}

}  // namespace zklock::testing
