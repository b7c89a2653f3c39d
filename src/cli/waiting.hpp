#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/arguments.hpp"
#include "src/cli/event_notifier.hpp"
#include "src/cli/named_locks.hpp"
#include "src/cli/outage_notice.hpp"
#include "src/cli/session_relay.hpp"
#include "src/cli/signal_inbox.hpp"

namespace zklock::cli {

/// What waiting for the lock has come to: a grant, or why there is none.
struct attempt {
  grant taken{};
  int status = 0;                       ///< to exit with
  std::optional<int> interrupted_by{};  ///< SIGINT or SIGQUIT has ended the wait: to end by
  std::string message{};                ///< for people
};

/// Until the locks are granted, --timeout is over, or a signal comes.
[[nodiscard]] attempt wait_for_lock(session& session, named_locks& locks, const run_arguments& wanted,
                                    signal_inbox& signals, session_relay& relay);

/// For a session that was connected: says on stderr that the servers have cut or raised its timeout, if they have.
void print_granted_timeout(const session& of, std::chrono::milliseconds asked);

/// What a wait heeds.
struct wait_terms {
  std::function<bool(int signal_number)> is_ended_by;  ///< asked of those that neither stop a process nor make it go on
  int also_readable = -1;                              ///< a descriptor that ends it, too; none: -1
};
/// Waits until a signal comes that is to end a wait, and returns it; 0 when `done` was rung before one came, or the other descriptor
/// can be read. Says meanwhile what there is to be said of outages.
[[nodiscard]] int wait_for_signal(signal_inbox& signals, const event_notifier& done, session_relay& relay,
                                  outage_notice& outages, const wait_terms& terms);

}  // namespace zklock::cli
