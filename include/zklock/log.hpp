#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace zklock {

enum class log_level : std::uint8_t { debug, info, warning, error };

[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(log_level level) noexcept;

/// One line of the library's log. `text` is complete by itself. The other texts are empty if they are not known.
struct log_line {
  log_level level = log_level::info;
  std::string text;
  std::string lock{};       ///< the path of the lock
  std::string contender{};  ///< the path of the contender's node
  std::string session{};    ///< what session::servers() returns
};

using log_sink = std::function<void(const log_line&)>;

/// Sends all lines of the library to `sink`. The sink also gets, at a limited rate, the warnings and errors of the
/// ZooKeeper C client on handles that the library has opened. An empty sink restores the default. Default: if the
/// program has registered an spdlog logger named "zklock" when a line comes, that logger gets the line; otherwise
/// stderr gets the line if it is a warning or error.
///
///     zklock::set_log_sink([](const zklock::log_line& line) { journal.add(to_string(line.level), line.text); });
///
/// *Threads*: any. The sink runs on threads of the library and of the C client, and within the program's calls to the
/// library; it may run on several threads at once. So a sink must be quick, and must lock no mutex that the program
/// holds during such a call. Of the library a sink may call only to_string() and set_log_sink(). The library drops an
/// exception that a sink throws, and each line that is logged while a sink runs on the same thread. *Lifetime*: a sink
/// must be usable until another one is set, also while the program exits. set_log_sink() waits until the previous sink
/// does not run, and destroys it; a call within a sink does not wait. In a child of fork() the default applies until
/// the child sets a sink.
ZKLOCK_EXPORT void set_log_sink(log_sink sink);

}  // namespace zklock
