#pragma once

#include <csignal>

namespace zklock::cli {

/// Those that stop a program at the terminal.
[[nodiscard]] constexpr bool is_job_control(int signal_number) noexcept {
  return signal_number == SIGTSTP || signal_number == SIGTTIN || signal_number == SIGTTOU;
}

}  // namespace zklock::cli
