#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include <zklock/zklock.hpp>

#include "src/cli/boot_alarm.hpp"
#include "src/cli/deadline_relay.hpp"
#include "src/cli/event_notifier.hpp"
#include "src/cli/guarded_tree.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/outcome.hpp"
#include "src/cli/signal_inbox.hpp"
#include "src/cli/terminal.hpp"

namespace zklock::cli {

/// What COMMAND runs under, for messages, and how it is ended.
struct command_terms {
  std::string program;
  std::string held;                                       ///< "the lock /a", "the locks /a, /b", "the lead of /a"
  bool several = false;                                   ///< locks
  std::optional<std::chrono::milliseconds> kill_after{};  ///< none: so that it is gone before the margin is over
  std::optional<int> on_revoke{};                         ///< the signal for COMMAND when another client wants the lock
};

/// The time from the grant to the end of COMMAND and of all that it has started: keeps the guardian informed of the
/// deadline, passes signals on, shares the terminal. One thread, one loop.
class holding {
 public:
  holding(const command_terms& terms, const session& session, const grant& held, signal_inbox& signals,
          guardian_process& guardian);
  [[nodiscard]] run_facts run();

 private:
  using instant = boot_clock::time_point;

  void start();
  [[nodiscard]] bool order_start();
  /// False: the guardian is gone.
  template <class Order>
  [[nodiscard]] bool tell(const Order& one);
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

  void look_at_loss();
  void look_at_revocation(instant now);
  void look_at_guardian(instant now);
  void look_after_tree(instant now);
  void go_on_after_stop();
  void take_terminal_back();
  void conclude();

  const command_terms& terms_;
  const grant& held_;
  signal_inbox& signals_;
  guardian_process& guardian_;
  const boot_clock::duration kill_after_;
  const terminal terminal_;
  event_notifier lost_;  ///< or revoked
  const std::stop_token revoked_;
  const boot_clock::duration pause_before_asking_;
  std::optional<instant> asked_from_;  ///< COMMAND has begun by then, and may have set a trap for the signal
  bool revocation_said_ = false;
  boot_alarm alarm_;

  deadline_relay deadline_;
  bool for_command_ = false;              ///< the terminal: whenever it is ours
  pid_t leader_ = 0;                      ///< COMMAND, and its group; 0: not started yet
  run_facts facts_;                       ///< so far
  std::optional<instant> ending_since_;   ///< COMMAND is being ended
  std::optional<instant> overdue_since_;  ///< it should have ended by then
  bool over_ = false;
  std::optional<guarded_tree> orphans_;  ///< what is left, when the guardian is gone: being ended
};

}  // namespace zklock::cli
