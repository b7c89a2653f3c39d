#pragma once

#include <string>

namespace zklock::cli {

/// A line on stderr: "zklock: ...". Never waits for stderr, which may be a pipe that nobody reads, or a terminal that is held: a
/// thread writes, one line after the other. Any thread.
void print_error(const std::string& message);
/// As it is, with its line end.
void print_line(std::string line);

/// Waits until all is written, or a signal asks the process to end. Before it ends: what is left then is lost.
void flush_errors();
/// Where something else is to be done in time, before the process ends or becomes another program.
void flush_errors_shortly();

}  // namespace zklock::cli
