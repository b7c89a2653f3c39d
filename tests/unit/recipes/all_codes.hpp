#pragma once

#include <array>

#include "recipes/code.hpp"

namespace zklock::recipes {

/// Every code that has a name.
inline constexpr std::array all_codes{
    code::ok,
    code::too_large,
    code::system_error,
    code::runtime_inconsistency,
    code::connection_loss,
    code::marshalling_error,
    code::unimplemented,
    code::operation_timeout,
    code::bad_arguments,
    code::invalid_state,
    code::no_node,
    code::no_auth,
    code::bad_version,
    code::no_children_for_ephemerals,
    code::node_exists,
    code::not_empty,
    code::session_expired,
    code::invalid_callback,
    code::invalid_acl,
    code::auth_failed,
    code::closing,
    code::session_moved,
    code::not_read_only,
    code::no_watcher,
    code::quota_exceeded,
    code::throttled,
};

}  // namespace zklock::recipes
