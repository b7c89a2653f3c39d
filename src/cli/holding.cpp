#include "src/cli/holding.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stop_token>
#include <system_error>
#include <variant>

#include "src/cli/exit_status.hpp"
#include "src/cli/job_control.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

constexpr int heartbeats_per_timeout = 12;
/// How long the guardian may take beyond --kill-after until we do its work.
constexpr boot_clock::duration guardian_patience = 200ms;
constexpr int wait_for_room_ms = 20;
/// The kernel's, for one string of a program's environment (MAX_ARG_STRLEN).
constexpr std::size_t variable_bytes_max = 131'072;

/// SIGKILL shall have had its effect when the margin is over: the servers may let the next one in then.
boot_clock::duration kill_after_by_default(const session& session) { return session.margin() / 2; }

/// Of several, the one because of which they are lost; or all, when it is none in particular.
std::string describe_loss(const grant& held, const command_terms& terms) {
  const std::string part = held.lost_part();
  return "lost " + (part.empty() ? terms.held : "the lock " + part) + " (" +
         std::string(to_string(held.loss_reason())) + ")";
}

std::string describe_silence(const command_terms& terms) {
  return terms.held + (terms.several ? " were" : " was") + " not confirmed in time";
}

/// Empty where there is none: a store that compares numbers has to be told, and the text goes on.
std::string number_of(const fencing_token& token) {
  try {
    return std::to_string(token.number());
  } catch (const std::overflow_error&) {
    return {};
  }
}

/// 127 when there is no such program, 126 when there is one and it cannot be run.
int status_of_failed_start(const std::error_code& ec) {
  if (ec == std::errc::resource_unavailable_try_again || ec == std::errc::not_enough_memory) {
    return exit_status::internal_error;
  }
  const bool missing = ec == std::errc::no_such_file_or_directory || ec == std::errc::not_a_directory;
  return missing ? exit_status::not_found : exit_status::not_executable;
}

}  // namespace

holding::holding(const command_terms& terms, const session& session, const grant& held, signal_inbox& signals,
                 guardian_process& guardian)
    : terms_(terms),
      held_(held),
      signals_(signals),
      guardian_(guardian),
      kill_after_(terms.kill_after ? boot_clock::duration(*terms.kill_after) : kill_after_by_default(session)),
      revoked_(held.revocation_requested()),
      pause_before_asking_(session.timeout() / 12),
      deadline_(session.timeout() / heartbeats_per_timeout, held.valid_until()) {}

run_facts holding::run() {
  const std::stop_callback on_loss(held_.lost(), [this] { lost_.ring(); });
  const std::stop_callback on_revocation(revoked_, [this] { lost_.ring(); });
  start();
  guardian_.wake_if_stopped();  // we have not looked during the wait
  while (!over_) {
    wait();
    look_at_loss();  // before what may stop us: the guardian is to hear of it
    look_at_revocation(boot_clock::now());
    hear_guardian();
    hear_signals();
    look_at_loss();
    const instant now = boot_clock::now();
    keep_guardian_informed(now);
    look_at_guardian(now);
    look_after_tree(now);
  }
  take_terminal_back();
  conclude();
  return facts_;
}

void holding::start() {
  for_command_ = terminal_.is_for_command();
  if (order_start()) return;
  print_error("the guardian was killed: the command was not started");
  facts_.ended_for_guardian = true;
  facts_.failed = exit_status::internal_error;
  over_ = true;
}

bool holding::order_start() {
  const std::array<std::string, 4> environment{"ZKLOCK_PATH=" + held_.path(), "ZKLOCK_NODE=" + held_.node(),
                                               "ZKLOCK_TOKEN=" + to_string(held_.token()),
                                               "ZKLOCK_TOKEN_NUMBER=" + number_of(held_.token())};
  for (const std::string& variable : environment) {
    if (variable.size() >= variable_bytes_max) {
      throw std::system_error(E2BIG, std::generic_category(),
                              "tell the command " + variable.substr(0, variable.find('=')));
    }
    if (!tell(order::set{variable})) return false;
  }
  return tell(order::start{deadline_.told(), kill_after_, for_command_});
}

/// What the start takes may be more than the guardian's socket has room for; it may be stopped, too.
template <class Order>
bool holding::tell(const Order& one) {
  while (!guardian_.send(one)) {
    if (errno == EPIPE || errno == ECONNRESET) return false;  // the latter: with an order unread
    if (errno != EAGAIN) throw std::system_error(errno, std::generic_category(), "tell the guardian");
    guardian_.wake_if_stopped();
    pollfd room{guardian_.descriptor(), POLLOUT, 0};
    static_cast<void>(poll(&room, 1, wait_for_room_ms));
  }
  return true;
}

void holding::wait() {
  alarm_.set(next_due());
  std::array<pollfd, 4> sources{pollfd{signals_.descriptor(), POLLIN, 0}, pollfd{lost_.descriptor(), POLLIN, 0},
                                pollfd{guardian_.descriptor(), POLLIN, 0}, pollfd{alarm_.descriptor(), POLLIN, 0}};
  static_cast<void>(poll(sources.data(), sources.size(), -1));
}

holding::instant holding::next_due() const {
  if (orphans_) return *orphans_->ending.next_due();
  if (overdue_since_) return *overdue_since_ + guardian_patience;
  const instant next = ending_since_ ? *ending_since_ + kill_after_ : deadline_.next_look();
  return asked_from_ && !revocation_said_ && revoked_.stop_requested() ? std::min(next, *asked_from_) : next;
}

// ---- the lock and its deadline --------------------------------------------------------------------------------------

void holding::keep_guardian_informed(instant now) {
  if (ending_since_ || !deadline_.is_due(now)) return;
  deadline_.look(now, held_.valid_until(),
                 [this](instant valid_until) { return guardian_.send(order::believe{valid_until}); });
}

void holding::look_at_loss() {
  static_cast<void>(lost_.take());
  if (facts_.lock_lost || held_.held()) return;
  facts_.lock_lost = true;
  guardian_.send(order::end{});
  print_error(describe_loss(held_, terms_) + ": sending SIGTERM to the command");
  ending_since_ = ending_since_.value_or(boot_clock::now());  // asked behind it: we may have been stopped
}

/// A request: what becomes of it is for COMMAND to say.
void holding::look_at_revocation(instant now) {
  if (revocation_said_ || !revoked_.stop_requested()) return;
  if (terms_.on_revoke && !(asked_from_ && now >= *asked_from_)) return;
  revocation_said_ = true;
  const std::string asked = "another client asks for " + terms_.held;
  if (!terms_.on_revoke) {
    print_error(asked + ": the command goes on, as there is no --on-revoke");
  } else if (!ending_since_) {
    print_error(asked + ": sending SIG" + sigabbrev_np(*terms_.on_revoke) + " to the command");
    guardian_.send(order::pass_on{*terms_.on_revoke});
  }
}

void holding::hear(const report::past_deadline&) {
  ending_since_ = ending_since_.value_or(boot_clock::now());
  if (held_.held()) {  // the answer that has moved it came too late to be passed on
    facts_.lock_lost = true;
    print_error(describe_silence(terms_) + ": sending SIGTERM to the command");
  }
}

// ---- signals and the terminal ---------------------------------------------------------------------------------------

void holding::hear_signals() {
  while (const auto number = signals_.take()) {
    if (*number == SIGCHLD) {
      guardian_.wake_if_stopped();
      continue;
    }
    if (*number == SIGCONT && for_command_ && leader_ != 0 && !facts_.how && terminal_.is_ours()) {
      terminal_.hand_to(leader_);
    }
    if (asks_to_end(*number)) {
      facts_.asked_to_end = true;
    }
    const bool passed_on = guardian_.send(order::pass_on{*number});
    if (!passed_on && *number == SIGHUP && terminal_.exists()) {
      facts_.asked_to_end = true;  // it has gone, and nobody else will end us with it
    }
    // COMMAND has ended; before, its stop would have been told. While zklock has to end the others it does not stop.
    if (passed_on && facts_.how && !ending_since_ && terminal_.exists() && is_job_control(*number)) {
      stop_by(*number);
      guardian_.send(order::pass_on{SIGCONT});
    }
  }
}

/// A signal has stopped COMMAND: the shell that waits for us is to notice, and can make us go on.
void holding::hear(const report::stopped& told) {
  // While COMMAND is being ended the guardian makes it go on; when the guardian is gone, we do.
  if (!terminal_.exists() || ending_since_ || guardian_.gone()) return;
  const bool wants_terminal = told.signal_number == SIGTTIN || told.signal_number == SIGTTOU;
  if (wants_terminal && terminal_.is_ours()) {
    terminal_.hand_to(leader_);
    guardian_.send(order::pass_on{SIGCONT});
    return;
  }
  terminal_.take_back_from(leader_);
  is_job_control(told.signal_number) ? stop_group_by(told.signal_number) : stop_by(told.signal_number);
  go_on_after_stop();
}

void holding::go_on_after_stop() {
  if (for_command_ && terminal_.is_ours()) {
    terminal_.hand_to(leader_);
  }
  guardian_.send(order::pass_on{SIGCONT});
}

void holding::take_terminal_back() {
  // Without a leader known, COMMAND may have had the terminal all the same: then a group that has no process left has
  // it.
  const bool had_it = (leader_ != 0 || for_command_) && terminal_.take_back_from(leader_);
  facts_.group_has_not_heard = facts_.group_has_not_heard || had_it;
}

// ---- the guardian and COMMAND ---------------------------------------------------------------------------------------

void holding::hear_guardian() {
  while (const auto told = guardian_.hear()) {
    std::visit([this](const auto& one) { hear(one); }, *told);
  }
}

void holding::hear(const report::started& told) {
  leader_ = told.pid;
  asked_from_ = boot_clock::now() + pause_before_asking_;
}

void holding::hear(const report::not_started& told) {
  leader_ = told.pid;
  const std::error_code ec(told.error_number, std::generic_category());
  print_error(terms_.program + ": " + ec.message());
  facts_.failed = status_of_failed_start(ec);
  over_ = true;
}

void holding::hear(const report::too_late&) {
  if (!facts_.lock_lost) {
    const std::string what = held_.held() ? describe_silence(terms_) : describe_loss(held_, terms_);
    print_error(what + ": the command was not started");
  }
  facts_.lock_lost = true;
  over_ = true;
}

void holding::hear(const report::leader_ended& told) {
  facts_.how = told.how;
  take_terminal_back();  // what is typed is for us now, to be passed on to the others
}

void holding::hear(const report::left_behind& told) {
  print_error("the command has ended, but " + std::to_string(told.count) + " that it has started " +
              (told.count == 1 ? "runs on (process " : "run on (process ") + std::to_string(told.one_of_them) +
              "): the lock is held until then");
}

void holding::hear(const report::ended& told) {
  facts_.how = told.how;
  facts_.all_gone = told.all_gone;
  over_ = true;
}

/// It may have been killed; or it does not do its work.
void holding::look_at_guardian(instant now) {
  if (ending_since_ && now >= *ending_since_ + kill_after_) {
    overdue_since_ = overdue_since_.value_or(now);  // not before we have seen it: both may have been stopped
  }
  const bool overdue = overdue_since_ && now >= *overdue_since_ + guardian_patience;
  if (over_ || orphans_ || !(guardian_.gone() || overdue)) return;
  print_error(overdue ? "the guardian does not end the command: killing both"
                      : "the guardian was killed: ending the command");
  guardian_.kill_and_bury();
  orphans_.emplace(leader_);
  // It may have ended by itself, and the guardian have been killed before it could say so. The kernel kills it with the guardian.
  if (const auto how = orphans_->processes.leader_end(); how && !(how->by_signal && how->number == SIGKILL)) {
    facts_.how = facts_.how.value_or(*how);
  }
  facts_.ended_for_guardian = !facts_.how;
  facts_.rest_ended_for_guardian = facts_.how && !orphans_->processes.extinct();
  orphans_->ending.begin(overdue ? now : now + kill_after_);
  ending_since_ = ending_since_.value_or(now);
}

void holding::look_after_tree(instant now) {
  if (over_ || !orphans_) return;
  orphans_->ending.continue_at(now);
  const bool extinct = orphans_->processes.extinct();
  over_ = extinct || orphans_->ending.given_up();
  facts_.all_gone = extinct;
  if (const auto how = orphans_->processes.leader_end(); how && !facts_.how) {
    facts_.how = how;
  }
}

void holding::conclude() {
  if (!facts_.failed && !facts_.lock_lost && !held_.held()) {
    print_error(describe_loss(held_, terms_) + " while the command ran");
    facts_.lock_lost = true;
  }
  facts_.at_its_bound = facts_.lock_lost && held_.loss_reason() == loss_reason::held_too_long;
}

}  // namespace zklock::cli
