#pragma once

#include <zklock/clock.hpp>

#include "recipes/local_deadline.hpp"

namespace zklock::detail {

/// The clock of all that the session decides.
[[nodiscard]] inline recipes::instant boot_now() noexcept { return boot_clock::now().time_since_epoch(); }

}  // namespace zklock::detail
