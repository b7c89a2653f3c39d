#pragma once

#include <sys/types.h>

#include "src/cli/owned_descriptor.hpp"

namespace zklock::cli {

/// The terminal that controls this process, if there is one, and the group that has it at the moment: the foreground
/// group may read from it, and gets the signals that are typed. Needs SIGTTOU blocked.
class terminal {
 public:
  terminal();

  [[nodiscard]] bool exists() const noexcept { return device_.get() >= 0; }
  /// Our group is in the foreground.
  [[nodiscard]] bool is_ours() const noexcept;
  /// Our group is in the foreground for the sake of the command we run: it reads from the terminal, and no other
  /// process in our group (a pipeline) is known to.
  [[nodiscard]] bool is_for_command() const noexcept;

  void hand_to(pid_t group) const noexcept;
  /// If `group` has it, or a group that has no process left. Whether it was so.
  bool take_back_from(pid_t group) const noexcept;

 private:
  owned_descriptor device_;
};

/// Stops this process as the signal does by default. Returns when we go on: at once if no process is there to make us
/// (the kernel discards what the terminal's signals would do then).
void stop_by(int signal_number);
/// The same to our whole group: as if the signal had been typed at the terminal while the group had it.
void stop_group_by(int signal_number);

}  // namespace zklock::cli
