#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <string_view>

namespace zklock {

/// Why a hold is no longer one.
enum class loss_reason : std::uint8_t {
  none,             ///< it stands, or it was given back
  session_expired,  ///< a server has said that the ZooKeeper session is over
  node_removed,     ///< a client has removed the contender's node
  deadline_passed,  ///< no server has answered in time: the session may be over, and another client may hold by now
  session_closed,   ///< the session object was closed while the hold stood
};

/// "session expired", "node removed" …: for messages.
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(loss_reason reason) noexcept;

}  // namespace zklock
