#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace zklock {

enum class log_level : std::uint8_t { debug, info, warning, error };

[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(log_level level) noexcept;

/// `text` is complete by itself. The texts after it are empty if they are not known.
struct log_line {
  log_level level = log_level::info;
  std::string text;
  std::string lock{};       ///< the path of the lock
  std::string contender{};  ///< the path of the contender's node
  std::string session{};    ///< what session::servers() returns
};

using log_sink = std::function<void(const log_line&)>;

/// Sends all lines of the library to `sink`; also, at a limited rate, those of the C client: at the level debug, but for
/// errors of which the library says nothing. Without a sink, an spdlog logger named "zklock" gets the lines. Without such
/// a logger, stderr gets the warnings and errors. An empty sink restores this default. See docs/guide/errors.md.
///
///     zklock::set_log_sink([](const zklock::log_line& line) { journal.add(to_string(line.level), line.text); });
///
/// - *Threads*: any. A sink runs on threads of the library and of the C client, and within the program's calls to the
///   library, on several threads at once. It must be quick, and must lock no mutex that the program holds during a call
///   to the library.
/// - *Calls*: a sink may call only to_string() and set_log_sink() of the library. The library drops a sink's
///   exceptions, and the lines that are logged on a thread while a sink runs on it.
/// - *Lifetime*: a sink must be usable until another one is set, also while the program exits. set_log_sink() waits at
///   most 5 s until the previous sink runs on no thread, and destroys it. In a sink or another callback of the library
///   it does not wait. A sink that still runs then is destroyed when it has returned: docs/guide/threads.md.
/// - *fork()*: in a child the default applies until the child sets a sink.
ZKLOCK_EXPORT void set_log_sink(log_sink sink);

}  // namespace zklock
