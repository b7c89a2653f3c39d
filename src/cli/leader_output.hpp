#pragma once

#include <string>

#include <zklock/election.hpp>

#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// One line for people: "TOKEN DATA", "none", "unknown", or why it cannot be told; behind it "(not current)".
[[nodiscard]] std::string as_line(const leader_view& seen, const terminal_characters& characters);

/// One line for programs: an object, in ASCII, whatever the leader says of itself. Bytes that are no UTF-8 become U+FFFD, what
/// is not known null.
[[nodiscard]] std::string as_json_line(const leader_view& seen);

}  // namespace zklock::cli
