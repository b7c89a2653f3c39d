#include "src/cli/run.hpp"

#include <sys/resource.h>

#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include <zklock/zklock.hpp>

#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/holding.hpp"
#include "src/cli/inherited_signals.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/named_locks.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/process_tree.hpp"
#include "src/cli/signal_inbox.hpp"
#include "src/cli/waiting.hpp"

namespace zklock::cli {
namespace {

std::string in_one_line(const std::string& lines) {
  std::string line;
  for (const char one : lines) {
    line += one == '\n' ? ", " : std::string(1, one);
  }
  return line;
}

/// What becomes of the result: a loss that was not told before is told now.
outcome release(grant held, const run_arguments& wanted, const outcome& result) {
  const std::string nodes = in_one_line(held.node());
  const loss_reason known = held.loss_reason();
  std::error_code ec;
  held.release(ec);
  if (ec == errc::lost && result.of_command) {
    const loss_reason why = known == loss_reason::none ? loss_reason::node_removed : known;
    print_error((wanted.paths.size() == 1 ? "lost the lock " : "lost the locks ") + wanted.names() + " (" +
                std::string(to_string(why)) + ") while the command ran");
    return {.status = exit_status::lock_lost};
  }
  if (ec && ec != errc::lost) {
    print_error("release " + nodes + ": " + ec.message() + "; at the latest it goes with its session");
  }
  return result;
}

outcome hold_and_run(const run_arguments& wanted, signal_inbox& signals, guardian_process& guardian) {
  try {
    session session(wanted.servers,
                    with_access(wanted.access, {.timeout = wanted.session_timeout, .label = wanted.label}));
    named_locks locks(session, wanted);
    attempt made = wait_for_lock(session, locks, wanted, signals);
    if (!made.taken) {
      if (!made.message.empty()) {
        print_error(made.message);
      }
      return {.status = made.status, .interrupted_by = made.interrupted_by};
    }
    const outcome result = holding(wanted, session, made.taken, signals, guardian).run();
    return release(std::move(made.taken), wanted, result);
  } catch (const error& failure) {
    print_error(failure.what());
    return {.status = exit_status::of(failure.code())};
  }
}

/// Does not return, unless the signal does not end us.
void end_by(int signal_number, bool whole_group) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal_number, SIG_DFL);
  kill(whole_group ? 0 : getpid(), signal_number);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
}

}  // namespace

int run(const run_arguments& wanted, std::span<char> own_arguments) {
  set_library_log(wanted.verbose);
  require_proc();
  const inherited_signals inherited;
  guardian_process guardian(wanted.command, inherited, own_arguments);
  signal_inbox signals(inherited);
  adopt_orphans();
  const outcome result = hold_and_run(wanted, signals, guardian);
  if (result.interrupted_by) {
    end_by(*result.interrupted_by, result.group_has_not_heard);
  }
  return result.status;
}

}  // namespace zklock::cli
