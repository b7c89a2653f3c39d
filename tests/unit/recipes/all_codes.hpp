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
    code::data_inconsistency,
    code::connection_loss,
    code::marshalling_error,
    code::unimplemented,
    code::operation_timeout,
    code::bad_arguments,
    code::invalid_state,
    code::unknown_session,
    code::new_config_no_quorum,
    code::reconfig_in_progress,
    code::ssl_connection_error,
    code::api_error,
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
    code::nothing,
    code::session_moved,
    code::not_read_only,
    code::ephemeral_on_local_session,
    code::no_watcher,
    code::request_timeout,
    code::reconfig_disabled,
    code::authentication_required,
    code::quota_exceeded,
    code::throttled,
};

}  // namespace zklock::recipes
