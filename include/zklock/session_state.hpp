#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <string_view>

namespace zklock {

enum class session_state : std::uint8_t {
  connecting,  ///< no ZooKeeper session; the first or next one is being opened: acquiring waits
  connected,   ///< a server answers
  suspended,   ///< no connection at the moment: holds stand until their deadline, acquiring waits (one try does not)
  expired,     ///< the session is over: holds are lost, waiters queue again (adopted handle: refused until readopt())
  authentication_failed,  ///< the credentials are refused, for good: holds are lost, everything is refused
  closed,                 ///< the session object is closed, for good: holds are lost, everything is refused
};

/// What a session's observer is told.
struct session_change {
  session_state state = session_state::connecting;
  /// True: connected in a new ZooKeeper session (also in the first one). All earlier holds are lost.
  bool new_session = false;
};

/// The name of the state for messages, for example "connected".
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(session_state state) noexcept;

}  // namespace zklock
