#pragma once

#include <memory>
#include <string_view>

#include <zklock/options.hpp>
#include <zklock/session.hpp>

#include "src/operations/lock_target.hpp"

namespace zklock::detail {

/// What a lock object's path and options make. `own_handle`: the session's handle is not the program's. Throws
/// errc::invalid_path, errc::invalid_option.
[[nodiscard]] std::shared_ptr<const lock_target> target_of(std::string_view path, const lock_options& options,
                                                           const session_options& defaults, bool own_handle,
                                                           std::shared_ptr<lock_meter> meter);

}  // namespace zklock::detail
