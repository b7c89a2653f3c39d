#include "src/cli/guardian.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>
#include <variant>

#include "src/cli/job_control.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

/// Much of what outlives COMMAND does so by a moment.
constexpr boot_clock::duration moment = 100ms;
/// Its descriptors go before it does.
constexpr boot_clock::duration death_takes_at_most = 2s;
constexpr boot_clock::duration looks_for_death_each = 1ms;

owned_descriptor signals_of_children() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  return {signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"};
}

}  // namespace

guardian::guardian(message_socket zklock, pid_t pid, std::span<const std::string> command,
                   const inherited_signals& inherited)
    : zklock_(std::move(zklock)),
      command_(command),
      inherited_(inherited),
      zklock_pid_(pid),
      child_signals_(signals_of_children()) {
  adopt_orphans();
}

std::string guardian::run() {
  while (!finished()) {
    wait();
    hear_orders();
    start_if_in_time();
    look_after_start();
    look_at_clock();
    look_after_leader();
    look_after_rest();
  }
  const bool died = getppid() != zklock_pid_;  // it may be stopped, and lives
  return died && !given_up_ ? orders_.session() : std::string();
}

/// Zklock is gone, and nothing of COMMAND is left.
bool guardian::finished() {
  if (zklock_.connected() || tree_) return false;
  const auto now = boot_clock::now();
  left_at_ = left_at_.value_or(now);
  return orders_.session().empty() || getppid() != zklock_pid_ || now >= *left_at_ + death_takes_at_most;
}

template <class Report>
void guardian::send(const Report& report) {
  zklock_.send(protocol::to_bytes(any_report(report)));
}

void guardian::wait() {
  alarm_.set(next_due());
  std::array<pollfd, 4> sources{pollfd{zklock_.connected() ? zklock_.descriptor() : -1, POLLIN, 0},
                                pollfd{child_signals_.get(), POLLIN, 0}, pollfd{alarm_.descriptor(), POLLIN, 0},
                                pollfd{start_ ? start_->descriptor() : -1, POLLIN, 0}};
  static_cast<void>(poll(sources.data(), sources.size(), -1));
  signalfd_siginfo info{};
  while (read(child_signals_.get(), &info, sizeof info) > 0) {}
}

std::optional<boot_clock::time_point> guardian::next_due() const {
  if (!tree_) {
    return left_at_ ? std::optional(boot_clock::now() + looks_for_death_each) : std::nullopt;
  }
  auto due = tree_->ending.begun() ? *tree_->ending.next_due() : orders_.valid_until();
  if (left_behind_ && left_behind_->due) {
    due = std::min(due, *left_behind_->due);
  }
  return due;
}

// ---- orders ---------------------------------------------------------------------------------------------------------

void guardian::hear_orders() {
  while (zklock_.connected()) {
    const auto bytes = zklock_.receive();
    if (!bytes) break;
    if (const auto order = protocol::from_bytes<any_order>(*bytes)) {
      std::visit([this](const auto& one) { obey(one); }, *order);
    }
  }
  if (!zklock_.connected() && tree_ && !tree_->ending.begun()) {
    begin_to_end(boot_clock::now());
    print_error("killed while the command ran: sending SIGTERM to the command");
  }
}

void guardian::obey(const order::pass_on& given) {
  orders_.hear(given, tree_.has_value());
  if (!tree_) return;
  if (tree_->ending.begun() && is_job_control(given.signal_number)) {
    return;  // a stop would take from what runs on its time to end
  }
  if (tree_->processes.leader_end()) {  // perhaps just now
    const bool unreachable = given.signal_number == SIGTERM && tree_->processes.unreachable();
    tree_->processes.signal_all(given.signal_number);
    if (asks_to_end(given.signal_number)) {
      tree_->processes.signal_all(SIGCONT);
    }
    if (unreachable) {  // it does not get the signal, and the user wants an end
      begin_to_end(boot_clock::now());
    }
  } else {
    tree_->processes.signal_group(given.signal_number);
    if (asks_to_end(given.signal_number)) {
      tree_->processes.signal_group(SIGCONT);  // a stopped one would not hear of it
    }
  }
}

void guardian::obey(const order::end& given) {
  if (tree_) {
    begin_to_end(boot_clock::now());
  } else {
    orders_.hear(given);
  }
}

// ---- what becomes of COMMAND ----------------------------------------------------------------------------------------

void guardian::start_if_in_time() {
  const auto wanted = orders_.take_start();
  if (!wanted || !zklock_.connected()) return;
  if (boot_clock::now() >= orders_.valid_until()) {
    send(report::too_late{});
    orders_.forget_command();
    return;
  }
  try {
    start_.emplace(command_, command_start::surroundings{orders_.environment(), inherited_, wanted->in_foreground});
  } catch (const std::system_error& failure) {
    send(report::not_started{failure.code().value(), 0});
    orders_.forget_command();
    return;
  }
  tree_.emplace(start_->pid());
  send(report::started{start_->pid()});
  for (const int number : orders_.early_signals()) {
    tree_->processes.signal_group(number);
  }
}

void guardian::look_after_start() {
  if (!start_) return;
  const auto error_number = start_->error_number();
  if (!error_number) return;
  if (*error_number != 0) {
    send(report::not_started{*error_number, start_->pid()});
    forget_command();
  } else {
    start_.reset();
  }
}

void guardian::look_after_leader() {
  if (!tree_ || left_behind_) return;
  look_at_stop();
  if (start_) return;  // it may end because it cannot be started
  tree_->processes.bury_orphans();
  const auto how = tree_->processes.leader_end();
  if (!how) return;
  left_behind_ = {*how, boot_clock::now() + moment};
  if (!tree_->processes.extinct()) {
    send(report::leader_ended{*how});
  } else {
    finish(*how, true);
  }
}

/// One that is being ended goes on: it shall have its time for that.
void guardian::look_at_stop() {
  const auto stopped = tree_->processes.leader_stopped();
  if (stopped && tree_->ending.begun()) {
    tree_->processes.signal_all(SIGCONT);
  } else if (stopped) {
    send(report::stopped{*stopped, orders_.continued()});
  }
}

void guardian::look_after_rest() {
  if (!tree_) return;
  if (left_behind_ && tree_->processes.extinct()) {
    finish(left_behind_->how, true);
  } else if (tree_->ending.given_up()) {
    finish({SIGTERM, true}, false);  // of a lost lock zklock knows better
  }
}

void guardian::look_at_clock() {
  if (!tree_) return;
  const auto now = boot_clock::now();
  if (!tree_->ending.begun() && now >= orders_.valid_until()) {
    begin_to_end(orders_.valid_until());
    send(report::past_deadline{});
    if (const auto zklock = look_at(zklock_pid_); zklock && zklock->state == 'T') {
      print_error("stopped beyond the lock's deadline: sending SIGTERM to the command");
    }
  }
  tree_->ending.continue_at(now);
  if (left_behind_ && left_behind_->due && now >= *left_behind_->due) {
    left_behind_->due.reset();
    if (const auto others = tree_->processes.survivors(); !others.empty() && !tree_->ending.begun()) {
      send(report::left_behind{static_cast<int>(others.size()), others.front().pid});
    }
  }
}

void guardian::begin_to_end(boot_clock::time_point since) { tree_->ending.begin(since + orders_.kill_after()); }

void guardian::finish(process_end how, bool all_gone) {
  given_up_ = given_up_ || !all_gone;
  send(report::ended{how, all_gone});
  forget_command();
}

void guardian::forget_command() {
  left_behind_.reset();
  tree_.reset();
  start_.reset();
  orders_.forget_command();
}

}  // namespace zklock::cli
