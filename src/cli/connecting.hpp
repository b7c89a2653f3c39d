#pragma once

#include <chrono>
#include <stop_token>

#include <zklock/session.hpp>

namespace zklock::cli {

/// session::wait_connected_for(), which a stop request ends at once. Uses the session's observer.
[[nodiscard]] bool wait_connected(session& session, std::chrono::milliseconds limit, const std::stop_token& stop);

}  // namespace zklock::cli
