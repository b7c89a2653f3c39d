#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <span>
#include <string>
#include <system_error>

namespace zklock::cli {

/// A program that was started: in this process' group and on its terminal, as under env or nohup.
class child_process {
 public:
  /// Looks the program up in $PATH as the shell does. `environment`: "NAME=value", in place of what this process has
  /// under that name. The error says why it could not be started.
  [[nodiscard]] static std::optional<child_process> start(std::span<const std::string> command,
                                                          std::span<const std::string> environment,
                                                          const sigset_t& mask, std::error_code& ec);

  /// Once it has ended: its status as the shell has it, 128+n after signal n. Does not wait.
  [[nodiscard]] std::optional<int> status() noexcept;
  void send(int signal_number) noexcept;
  /// Whether it is still where the terminal's signals for this process reach it as well.
  [[nodiscard]] bool in_our_group() const noexcept;

 private:
  explicit child_process(pid_t pid) noexcept : pid_(pid) {}

  pid_t pid_;
  std::optional<int> status_;  // afterwards the pid may be somebody else's
};

/// 127 when there is no such program, 126 when there is one and it cannot be run.
[[nodiscard]] int status_of_failed_start(const std::error_code& ec) noexcept;

}  // namespace zklock::cli
