#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "src/cli/exit_status.hpp"
#include "src/cli/lock_kind.hpp"
#include "src/cli/usage_error.hpp"

namespace zklock::cli {

/// What the servers are told of this client, and what they are to let others do.
struct access_arguments {
  std::string auth_file{};        ///< empty: no credentials
  bool for_creator_only = false;  ///< the access list of the nodes that are created
};

/// What the command line asks for: to run a command while holding a lock, or several as one.
struct run_arguments {
  std::string servers;
  access_arguments access{};
  std::vector<std::string> paths;                    ///< at least one; none twice
  lock_kind kind{};                                  ///< of all
  std::optional<std::chrono::milliseconds> timeout;  ///< none: waits for ever; 0: one try
  std::chrono::milliseconds session_timeout{};
  std::optional<std::chrono::milliseconds> kill_after;  ///< none: half of the margin
  std::chrono::milliseconds max_hold{0};                ///< 0: none
  std::optional<int> on_revoke{};                       ///< COMMAND gets this signal when another client wants the lock
  std::string label;
  std::string metrics{};  ///< a file for figures; empty: none
  int status_not_in_time = exit_status::not_in_time;
  bool verbose = false;
  std::vector<std::string> command;  ///< at least the program

  /// The PATHs in one line, for messages: "/a", "/a, /b".
  [[nodiscard]] std::string names() const;
};

/// ... or to be told a lock's holders and waiters.
struct ls_arguments {
  std::string servers;
  access_arguments access{};
  std::string path;
  bool recursive = false;                            ///< all locks at and below `path`
  std::optional<std::chrono::milliseconds> timeout;  ///< of all, connecting included; not 0
  bool whole = false;                                ///< lines of any length
  bool json = false;
  bool verbose = false;
};

/// ... or to be told what is wrong with locks.
struct doctor_arguments {
  std::string servers;
  access_arguments access{};
  std::vector<std::string> paths;                    ///< at least one; none twice
  std::optional<std::chrono::milliseconds> timeout;  ///< of all, connecting included; not 0
  bool json = false;
  bool verbose = false;
};

/// ... or to have a contender's node removed.
struct evict_arguments {
  std::string servers;
  access_arguments access{};
  std::string node;
  bool yes = false;  ///< without a question
  bool verbose = false;
};

/// ... or to have a holder asked to let go.
struct revoke_arguments {
  std::string servers;
  access_arguments access{};
  std::string node;
  bool replace_data = false;
  bool verbose = false;
};

/// ... or to be shown a lock's holders and waiters, until a signal.
struct watch_arguments {
  std::string servers;
  access_arguments access{};
  std::string path;
  bool json = false;
  bool verbose = false;
};

/// ... or to be told who leads an election, until a signal.
struct observe_arguments {
  std::string servers;
  access_arguments access{};
  std::string path;
  bool json = false;
  bool verbose = false;
};

/// ... or to stand for it, and to run a command while it is won.
struct stand_arguments {
  std::string servers;
  access_arguments access{};
  std::string path;
  std::string data;
  bool latch = false;     ///< the names of Curator's LeaderLatch
  bool again = false;     ///< stands again when the command has ended
  std::string metrics{};  ///< a file for figures; empty: none
  std::chrono::milliseconds session_timeout{};
  std::optional<std::chrono::milliseconds> kill_after;  ///< none: half of the margin
  std::chrono::milliseconds max_hold{0};                ///< 0: none
  bool verbose = false;
  std::vector<std::string> command;  ///< at least the program
};

/// ... or to be told something, on stdout.
struct text_wanted {
  std::string text;
};

using invocation = std::variant<run_arguments, ls_arguments, watch_arguments, doctor_arguments, evict_arguments,
                                revoke_arguments, observe_arguments, stand_arguments, text_wanted>;

/// What the environment has; null or empty: not set.
struct environment_values {
  const char* connect = nullptr;    ///< $ZKLOCK_CONNECT
  const char* auth_file = nullptr;  ///< $ZKLOCK_AUTH_FILE
};

/// Takes the arguments behind the program's name, and the environment's. Reads nothing else, does nothing else. Whether path, label and server list are what they have to be is the library's to
/// say. Throws usage_error.
[[nodiscard]] invocation parse(std::span<const std::string> arguments, const environment_values& environment);

}  // namespace zklock::cli
