#pragma once

#include <span>
#include <string>

#include <zklock/queue.hpp>

#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// What a client waits for, when it has `ahead`, first come first, in its way (see blocking_participants); at least one. One line;
/// what participants say of themselves cannot speak to the terminal.
[[nodiscard]] std::string describe_wait(const std::string& path, std::span<const participant> ahead,
                                        const terminal_characters& characters);

}  // namespace zklock::cli
