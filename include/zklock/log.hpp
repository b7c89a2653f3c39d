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
  std::string lock{};       ///< the path of the lock node
  std::string contender{};  ///< the path of the contender's node
  std::string session{};    ///< the server list of the session object
};

using log_sink = std::function<void(const log_line&)>;

/// Sends all lines of the library, and those of the ZooKeeper C client, to `sink`. An empty sink brings back the
/// default: the spdlog logger named "zklock" if the program has registered one (before or after); otherwise warnings
/// and errors go to stderr, other lines nowhere.
///
///     zklock::set_log_sink([](const zklock::log_line& line) { journal.add(to_string(line.level), line.text); });
///
/// *Threads*: any; the sink runs on any thread of the library and of the C client, also on several at once. It must not
/// call the library; what it throws is dropped. *Lifetime*: when set_log_sink() has returned, the sink before is not
/// running and does not run again (exception: a call from within that sink).
ZKLOCK_EXPORT void set_log_sink(log_sink sink);

}  // namespace zklock
