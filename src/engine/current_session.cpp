#include "src/engine/current_session.hpp"

#include <zklock/error.hpp>

namespace zklock::engine {

bool current_session::connected(std::int64_t id, std::chrono::milliseconds granted) noexcept {
  const bool new_session = id_ == 0;
  id_ = id;
  granted_ = granted;
  connected_ = true;
  return new_session;
}

void current_session::over() noexcept {
  connected_ = false;
  id_ = 0;
}

void current_session::enter(session_state state, bool new_session) {
  if (state_ == session_state::closed) {
    return;
  }
  if (state != state_ || new_session) {
    state_ = state;
    world_.state_changed(state, new_session);
  }
}

std::optional<detail::failure> current_session::failure() const {
  switch (state_) {
    case session_state::closed: return detail::failure{errc::session_closed};
    case session_state::authentication_failed:
      return detail::failure{errc::authentication_failed, client::code::auth_failed};
    case session_state::expired: return detail::failure{errc::session_expired, client::code::session_expired};
    case session_state::connecting:
    case session_state::connected:
    case session_state::suspended: break;
  }
  return std::nullopt;
}

}  // namespace zklock::engine
