#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include <zklock/clock.hpp>

#include "src/cli/boot_alarm.hpp"
#include "src/cli/command_start.hpp"
#include "src/cli/guarded_tree.hpp"
#include "src/cli/guardian_protocol.hpp"
#include "src/cli/inherited_signals.hpp"
#include "src/cli/received_orders.hpp"

namespace zklock::cli {

/// The process between zklock and COMMAND: it starts COMMAND, and sees to it that COMMAND and all that it has started end
/// when the lock is over, also when zklock cannot say so any more: killed, stopped, or out of processor time. One COMMAND at a
/// time; when its whole tree has ended there may be a next one.
///
/// It knows no ZooKeeper, only the deadline that it was last told. Orders that have arrived are heard before the clock is
/// looked at; once the deadline is seen to have passed, it has passed for good. One loop on one thread, no wait but in poll(): not for
/// stderr either (print_error()).
class guardian {
 public:
  /// `pid`: of zklock, asked for before the fork. It may have died before this process was first run.
  guardian(message_socket zklock, pid_t pid, std::span<const std::string> command, const inherited_signals& inherited);
  /// Returns when zklock is gone, or has no more use for it, and nothing is left to guard. Then, what ends zklock's session (see
  /// order::session): empty, unless zklock is known to have died, and all that it has had started to have ended.
  [[nodiscard]] std::string run();

 private:
  struct left_behind_notice {
    process_end how;
    std::optional<boot_clock::time_point> due;  ///< none: it was given
  };

  template <class Report>
  void send(const Report& report);
  void wait();
  [[nodiscard]] std::optional<boot_clock::time_point> next_due() const;

  void hear_orders();
  /// Of those that only say something for later.
  template <class Order>
  void obey(const Order& given) {
    orders_.hear(given);
  }
  void obey(const order::pass_on& given);
  void obey(const order::end& given);

  void start_if_in_time();
  void look_after_start();
  void look_after_leader();
  void look_at_stop();
  void look_after_rest();
  void look_at_clock();
  void begin_to_end(boot_clock::time_point since);
  void finish(process_end how, bool all_gone);
  void forget_command();
  [[nodiscard]] bool finished();

  message_socket zklock_;
  const std::span<const std::string> command_;
  const inherited_signals& inherited_;
  const pid_t zklock_pid_;
  owned_descriptor child_signals_;
  boot_alarm alarm_;

  received_orders orders_;
  std::optional<command_start> start_;             ///< until it is known whether it has succeeded
  std::optional<guarded_tree> tree_;               ///< from the start on
  std::optional<left_behind_notice> left_behind_;  ///< from the leader's end on
  bool given_up_ = false;                          ///< something goes on that cannot be ended
  std::optional<boot_clock::time_point> left_at_;  ///< zklock, with nothing to be guarded
};

}  // namespace zklock::cli
