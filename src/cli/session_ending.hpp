#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::cli {

/// What ends the ZooKeeper session of a zklock that has died.
struct session_ending {
  std::string servers;
  std::string auth;  ///< "user:password"; empty: none
  std::int64_t id = 0;
  std::string password;  ///< the session's
  std::chrono::milliseconds timeout{0};

  bool operator==(const session_ending&) const = default;
};

/// As the guardian keeps it, and passes it on.
[[nodiscard]] std::string to_words(const session_ending& what);
[[nodiscard]] std::optional<session_ending> from_words(std::string_view words);

/// This very program as `zklock --end-session`, with these words on its stdin, in place of this process: it has no
/// ZooKeeper and one thread until then. Returns only if that fails, which it says on stderr.
void execute_session_end(const std::string& words);

/// The argument of that program, which no user gives: it is known by its stdin, a pipe.
inline constexpr std::string_view end_session_argument = "--end-session";
[[nodiscard]] bool is_session_end(int count, char** values);
/// Ends the session that stdin tells of. Returns the exit status; says once on stderr if it could not be ended within its timeout.
[[nodiscard]] int end_session_of_stdin();

}  // namespace zklock::cli
