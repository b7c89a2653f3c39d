#pragma once

#include <span>
#include <string>

#include <zklock/queue.hpp>

#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// Its label, host and process in one line, as far as they are said; `unnamed`: in place of a label.
[[nodiscard]] std::string describe_participant(const participant& one, const std::string& unnamed,
                                               const terminal_characters& characters);

/// What a client waits for, when it has `ahead`, first come first, in its way (see blocking_participants); at least one. One line;
/// what participants say of themselves cannot speak to the terminal.
[[nodiscard]] std::string describe_wait(const std::string& path, std::span<const participant> ahead,
                                        const terminal_characters& characters);

}  // namespace zklock::cli
