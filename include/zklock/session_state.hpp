#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <string_view>

namespace zklock {

enum class session_state : std::uint8_t {
  connecting,             ///< no ZooKeeper session: before the first, or while the next one is opened
  connected,              ///< a server answers
  suspended,              ///< no server at the moment; the session lives on, as far as is known
  expired,                ///< the session has ended. The library opens a new handle; an adopted one: readopt()
  authentication_failed,  ///< the servers have refused the credentials: for good
  closed,                 ///< by close() or the destructor: for good
};

/// What a session's observer is told.
struct session_change {
  session_state state = session_state::connecting;
  /// `connected`, in a new ZooKeeper session, the first one included: holds of an earlier one are lost.
  bool new_session = false;
};

/// "connected" …: for messages.
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(session_state state) noexcept;

}  // namespace zklock
