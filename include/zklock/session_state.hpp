#pragma once

#include <cstdint>
#include <string_view>

namespace zklock {

enum class session_state : std::uint8_t {
  connecting,             ///< no ZooKeeper session yet (or not again yet, after one has ended)
  connected,              ///< a server answers
  suspended,              ///< no server at the moment; the session lives on, as far as is known
  expired,                ///< the session is over. A handle of our own is replaced; an adopted one is not
  authentication_failed,  ///< the servers have refused the credentials: for good
  closed,                 ///< by close() or the destructor: for good
};

/// What a session's observer is told.
struct session_change {
  session_state state = session_state::connecting;
  /// `connected`, in a ZooKeeper session that was not there before: whatever was held in the last one is lost.
  bool new_session = false;
};

/// "connected" …: for messages.
[[nodiscard]] std::string_view to_string(session_state state) noexcept;

}  // namespace zklock
