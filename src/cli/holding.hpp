#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/arguments.hpp"
#include "src/cli/bell.hpp"
#include "src/cli/boot_alarm.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/process_tree.hpp"
#include "src/cli/signal_inbox.hpp"
#include "src/cli/terminal.hpp"
#include "src/cli/tree_ending.hpp"

namespace zklock::cli {

/// How zklock is to end.
struct outcome {
  int status = 0;
  /// COMMAND was interrupted, and so are we to be: by that signal. A shell that runs a script wants to see that, or it
  /// goes on with the script.
  std::optional<int> interrupted_by{};
  /// COMMAND alone had the terminal and got the signal, so that our group is to be told.
  bool group_has_not_heard = false;
};

/// The time from the grant to the end of COMMAND and of all that it has started: keeps the guardian informed of the
/// deadline, passes signals on, shares the terminal. One thread, one loop.
class holding {
 public:
  holding(const run_arguments& wanted, const session& session, const grant& held, signal_inbox& signals,
          guardian_process& guardian);
  [[nodiscard]] outcome run();

 private:
  using instant = boot_clock::time_point;

  void start();
  void wait();
  [[nodiscard]] instant next_due() const;

  void keep_guardian_informed(instant now);
  void hear_signals();
  void hear_guardian();
  void hear(const report::started& told);
  void hear(const report::not_started& told);
  void hear(const report::too_late& told);
  void hear(const report::stopped& told);
  void hear(const report::leader_ended& told);
  void hear(const report::left_behind& told);
  void hear(const report::past_deadline& told);
  void hear(const report::ended& told);

  void look_at_loss(instant now);
  void look_at_guardian(instant now);
  void look_after_tree(instant now);
  void go_on_after_stop();
  void take_terminal_back();
  [[nodiscard]] outcome conclude();

  const run_arguments& wanted_;
  const grant& held_;
  signal_inbox& signals_;
  guardian_process& guardian_;
  const std::chrono::nanoseconds period_;  ///< of the session's heartbeat
  const boot_clock::duration kill_after_;
  const terminal terminal_;
  bell lost_;
  boot_alarm alarm_;

  instant told_valid_until_{};
  instant next_look_{};
  bool for_command_ = false;             ///< the terminal: whenever it is ours
  pid_t leader_ = 0;                     ///< COMMAND, and its group; 0: not started yet
  std::optional<process_end> how_;       ///< COMMAND has ended
  std::optional<int> failed_;            ///< the status to exit with, because COMMAND was not started
  std::optional<instant> ending_since_;  ///< COMMAND is being ended
  bool lock_lost_ = false;
  bool group_has_not_heard_ = false;
  bool over_ = false;
  std::optional<process_tree> orphans_;  ///< what is left, when the guardian is gone
  std::optional<tree_ending> ending_;
};

}  // namespace zklock::cli
