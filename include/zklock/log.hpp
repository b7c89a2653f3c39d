#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace zklock {

enum class log_level : std::uint8_t { debug, info, warning, error };

[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(log_level level) noexcept;

/// One line of the library's log. `text` is complete by itself. The other three are empty where they are not known.
struct log_line {
  log_level level = log_level::info;
  std::string text;
  std::string lock{};       ///< the path of the lock
  std::string contender{};  ///< the path of the contender's node
  std::string session{};    ///< the server list of the session object
};

using log_sink = std::function<void(const log_line&)>;

/// Sends all lines of the library to `sink`, and, at a limited rate, the warnings and errors of the ZooKeeper C client on
/// handles that the library has opened. An empty sink brings back the default: the spdlog logger named "zklock" if the
/// program has registered one (before or after); otherwise warnings and errors go to stderr, other lines nowhere.
///
///     zklock::set_log_sink([](const zklock::log_line& line) { journal.add(to_string(line.level), line.text); });
///
/// *Threads*: any. The sink runs on any thread, also on several at once: on those of the library and of the C client, and
/// within the program's calls to the library. So it must be quick, and lock no mutex that the program holds during such a
/// call. It may call to_string() and set_log_sink() only; a line that comes up within a sink is dropped, and so is what a
/// sink throws. *Lifetime*: a sink has to be usable until another one is set, also while the program exits. When
/// set_log_sink() has returned, the sink before is destroyed and does not run again; within a sink it does not wait for
/// that. A child of fork() has no sink until it sets one.
ZKLOCK_EXPORT void set_log_sink(log_sink sink);

}  // namespace zklock
