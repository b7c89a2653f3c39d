#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <string_view>

namespace zklock {

/// Why a hold was lost.
enum class loss_reason : std::uint8_t {
  none,             ///< the hold was not lost: it stands, or it was released
  session_expired,  ///< the ZooKeeper session is over, or its credentials were refused
  node_removed,     ///< a client has removed the contender's node
  deadline_passed,  ///< no server has answered in time: another client may hold after valid_until() + the margin
  session_closed,   ///< the session object was closed
  held_too_long,    ///< lock_options::max_hold is over: another client may hold after valid_until() + the margin
};

/// In words: "session expired", "node removed" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(loss_reason reason) noexcept;

}  // namespace zklock
