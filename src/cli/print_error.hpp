#pragma once

#include <optional>
#include <string>

#include <zklock/clock.hpp>

namespace zklock::cli {

/// A line on stderr: "zklock: ...". Never waits for stderr, which may be a pipe that nobody reads, or a terminal that is held: a
/// thread writes, one line after the other. Any thread.
void print_error(const std::string& message);
/// As it is, with its line end.
void print_line(std::string line);

/// Waits until all is written, or for so long. Before the process ends, or becomes another program: what is left then is lost.
void flush_errors(std::optional<boot_clock::duration> limit = std::nullopt);
/// Where something else is to be done in time.
void flush_errors_shortly();

}  // namespace zklock::cli
