#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "src/engine/environment.hpp"
#include "src/engine/failure.hpp"

namespace zklock::engine {

using detail::environment;

/// Which ZooKeeper session there is, and what its user is told of it.
class current_session {
 public:
  explicit current_session(environment& world) noexcept : world_(world) {}

  [[nodiscard]] session_state state() const noexcept { return state_; }
  [[nodiscard]] bool is_connected() const noexcept { return connected_; }
  /// 0: there is no session.
  [[nodiscard]] std::int64_t id() const noexcept { return id_; }

  /// The latest timeout that was granted, of any session.
  [[nodiscard]] std::chrono::milliseconds granted_timeout() const noexcept { return granted_; }

  /// A handle says that it is connected, in that session. Whether that session is new to us.
  bool connected(std::int64_t id, std::chrono::milliseconds granted) noexcept;
  void disconnected() noexcept { connected_ = false; }
  void over() noexcept;
  /// Its user is told, if that is another state, or the session a new one. None follows `closed`: an adopted handle may come
  /// and go while removals are seen through.
  void enter(session_state state, bool new_session = false);

  /// Why there is no session, and there will be none. Nothing: there is one, or it may come back.
  [[nodiscard]] std::optional<detail::failure> failure() const;

 private:
  environment& world_;
  session_state state_ = session_state::connecting;
  bool connected_ = false;
  std::int64_t id_ = 0;
  std::chrono::milliseconds granted_{0};
};

}  // namespace zklock::engine
