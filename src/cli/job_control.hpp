#pragma once

#include <csignal>

namespace zklock::cli {

/// Those that stop a program at the terminal.
[[nodiscard]] constexpr bool is_job_control(int signal_number) noexcept {
  return signal_number == SIGTSTP || signal_number == SIGTTIN || signal_number == SIGTTOU;
}

/// Those that ask a program to end. SIGHUP is not among them: to many it says that they are to read their configuration anew.
[[nodiscard]] constexpr bool asks_to_end(int signal_number) noexcept {
  return signal_number == SIGTERM || signal_number == SIGINT || signal_number == SIGQUIT;
}

}  // namespace zklock::cli
