#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "src/cli/inherited_signals.hpp"
#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {

/// A program that is being started: in a process group of its own, and killed when this process is gone.
class command_start {
 public:
  struct surroundings {
    std::span<const std::string> environment;  ///< "NAME=value", in place of what this process has under that name
    const inherited_signals& signals;
    bool in_foreground;  ///< it gets the terminal
  };

  /// Forks: the process must have one thread only. The program is looked up in $PATH as the shell does. Throws
  /// std::system_error when there is no process to be had.
  command_start(std::span<const std::string> command, const surroundings& around);

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Readable when it is known whether the program runs.
  [[nodiscard]] int descriptor() const noexcept { return news_.get(); }
  /// What to say once that is known: 0, or the error. Does not wait.
  [[nodiscard]] std::optional<int> error_number() const;

 private:
  owned_descriptor news_;
  pid_t pid_ = -1;
};

}  // namespace zklock::cli
