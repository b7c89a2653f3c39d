#pragma once

#include <string>

#include <zklock/log.hpp>

#include "src/log/c_client_line.hpp"

/// Where the library's lines go: see set_log_sink().
namespace zklock::log {

/// For the constructor of what logs in its destructor: when that is a static of the program, spdlog's loggers go after it.
/// Makes no logger: the program may still register its own.
void begin();

/// Safe from any thread, never throws. While the program's statics are destroyed it may be too late for a line: then nothing
/// is written, unless the program has set a sink. The text says which lock, which contender, which session.
void write(const log_line& line) noexcept;
void write(log_level level, std::string text) noexcept;

/// Of user code that was called on a thread of the library.
void callback_threw(const char* what) noexcept;

/// A line of the ZooKeeper C client, as its log callback gets it. Rate-limited for the whole process, since an outage
/// makes hundreds of them, errors apart from the rest: the line that comes after a flood says how many were left out.
void write_c_client_line(const char* line, c_client_news news) noexcept;

}  // namespace zklock::log
