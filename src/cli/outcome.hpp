#pragma once

#include <optional>

#include "src/cli/guardian_protocol.hpp"

namespace zklock::cli {

/// How zklock is to end.
struct outcome {
  int status = 0;
  bool of_command = false;  ///< the status is COMMAND's own
  /// COMMAND was interrupted, and so are we to be: by that signal. A shell that runs a script wants to see that, or it
  /// goes on with the script.
  std::optional<int> interrupted_by{};
  bool begins_anew = false;  ///< as this very program, in this process
  /// COMMAND alone had the terminal and got the signal, so that our group is to be told.
  bool group_has_not_heard = false;
};

/// What is known of a run.
struct run_facts {
  std::optional<int> failed{};           ///< the status to exit with, because COMMAND was not started
  bool lock_lost = false;                ///< and that was said
  std::optional<process_end> how{};      ///< COMMAND has ended
  bool group_has_not_heard = false;      ///< what was typed, since COMMAND had the terminal
  bool all_gone = true;                  ///< false: something of COMMAND goes on
  bool asked_to_end = false;             ///< zklock has got a signal that ends a program
  bool at_its_bound = false;             ///< the lock was lost by --max-hold
  bool ended_for_guardian = false;       ///< COMMAND ran, or was to be started, when the guardian was killed
  bool rest_ended_for_guardian = false;  ///< it had ended by itself then, and something that it has started had not

  [[nodiscard]] outcome conclude() const;
  /// Of a candidate of an election. `again`: also when COMMAND has ended by itself, or at its bound.
  [[nodiscard]] bool stands_again(bool again) const;
};

}  // namespace zklock::cli
