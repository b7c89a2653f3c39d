#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include <zklock/election.hpp>
#include <zklock/options.hpp>

#include "recipes/contender_name.hpp"
#include "src/port/client.hpp"

namespace zklock::detail {

// Each throws zklock::error(errc::invalid_option), naming the option and its value.
void require_valid_label(std::string_view label);
/// Of a lock or an election.
void require_valid_name(std::string_view name);
void require_valid_duration(std::chrono::milliseconds value, std::string_view option);
/// `adopted`: the timeout is the handle's own, so it bounds neither margin nor tick.
void require_valid(const session_options& options, bool adopted = false);
/// An access list of the session's credentials needs some. Not of an adopted handle, which may have its own.
void require_credentials(const acl& entries, std::string_view auth);
/// 1 to recipes::permits_max.
[[nodiscard]] bool is_valid_permits(std::int64_t value) noexcept;
void require_valid(const local_handover& options);
/// `timeout`: of the session.
void require_valid(const kept_lock& options, std::chrono::milliseconds timeout, recipes::contender_kind of);
/// Of a lock: 0 to 30 days.
void require_valid_long_duration(std::chrono::milliseconds value, std::string_view option);
void require_valid_layout(layout value);
void require_valid_names(election_names value);
/// Returns the value.
std::uint32_t require_valid_permits(std::int64_t value, std::string_view option);

/// The access list as the port takes it. Throws errc::invalid_option for an empty one.
[[nodiscard]] client::acl wire_acl(const acl& entries);

}  // namespace zklock::detail
