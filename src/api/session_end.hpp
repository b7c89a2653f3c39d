#pragma once

#include <chrono>
#include <string>

#include <zklock/options.hpp>
#include <zklock/session.hpp>

#include "src/port/client.hpp"

namespace zklock::detail {

/// Of the ZooKeeper session that it has had last. Only the command may have it: whoever has it may end the session.
[[nodiscard]] client::session_key key_of(const session& of);

/// Ends a session whose process has died, by taking it over and closing it: its nodes go at once. Asks each server, again and
/// again, until `limit` is over, which is best the session's timeout. Returns why it was not ended; empty: it is over, by a
/// server's word. `auth`: as session_options::auth.
[[nodiscard]] std::string end_session(const std::string& servers, const client::session_key& key,
                                      const std::string& auth, std::chrono::milliseconds limit);

}  // namespace zklock::detail
