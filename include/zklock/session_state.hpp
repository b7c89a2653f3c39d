#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <string_view>

namespace zklock {

enum class session_state : std::uint8_t {
  connecting,             ///< no ZooKeeper session: before the first one, or while the next one is opened
  connected,              ///< a server answers
  suspended,              ///< no connection at the moment; the client has not heard that the session is over
  expired,                ///< the session is over: the library opens the next one; an adopted handle needs readopt()
  authentication_failed,  ///< the servers have refused the credentials; this state is permanent
  closed,                 ///< close() or the destructor has closed the session object; this state is permanent
};

/// What a session's observer is told.
struct session_change {
  session_state state = session_state::connecting;
  /// True if `state` is `connected`, in a new ZooKeeper session (also the first one): all earlier holds are lost.
  bool new_session = false;
};

/// The name of the state for messages, for example "connected".
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(session_state state) noexcept;

}  // namespace zklock
