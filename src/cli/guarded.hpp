#pragma once

#include <functional>
#include <span>
#include <string>

#include "src/cli/guardian_process.hpp"
#include "src/cli/outcome.hpp"
#include "src/cli/signal_inbox.hpp"

namespace zklock::cli {

/// How zklock has begun.
struct beginning {
  bool anew = false;           ///< by exec, in place of one whose guardian was killed
  bool at_a_terminal = false;  ///< the first one was: SIGHUP says that it has gone
};

/// Does `what` beside a guardian that can start `command`, and ends as that says: returns the exit status, or ends by the signal
/// that has interrupted COMMAND, or begins anew with a guardian of its own: by exec, since this process has threads by then. `what`
/// returns when its session is closed. To be called once, before the process has threads.
/// `own_arguments`: see guardian_process; what it begins anew with.
[[nodiscard]] int guarded(std::span<const std::string> command, std::span<char> own_arguments,
                          const std::function<outcome(signal_inbox&, guardian_process&, const beginning&)>& what);

}  // namespace zklock::cli
