#pragma once

#include <cstdint>
#include <string_view>

/// The library's log: everything goes to the spdlog logger named "zklock". A program that wants its lines elsewhere
/// registers a logger of that name; without one they go to stderr.
namespace zklock::log {

enum class level : std::uint8_t { debug, info, warn, error, off };

/// For the constructor of what logs in its destructor: when that is a static of the program, spdlog's loggers go after it.
/// Makes no logger: the program may still register its own.
void begin();

/// Safe from any thread, never throws. While the program's statics are destroyed it may be too late for a line: then nothing
/// is written. A line says which lock, which contender, which session.
void write(level severity, std::string_view line) noexcept;

/// What is less severe than that is not written; off: nothing is. Of the logger that has the name at this moment.
void set_level(level least) noexcept;

/// A line of the ZooKeeper C client, as its log callback gets it. Rate-limited for the whole process, since an outage
/// makes hundreds of them: the line that comes after a flood says how many were left out.
void write_c_client_line(const char* line) noexcept;

}  // namespace zklock::log
