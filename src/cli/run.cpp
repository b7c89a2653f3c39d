#include "src/cli/run.hpp"

#include <string>
#include <system_error>
#include <utility>

#include <zklock/zklock.hpp>

#include "src/cli/credentials.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/guarded.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/holding.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/metrics_file.hpp"
#include "src/cli/named_locks.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/session_relay.hpp"
#include "src/cli/signal_inbox.hpp"
#include "src/cli/waiting.hpp"
#include "src/errors/printable.hpp"

namespace zklock::cli {
namespace {

/// What becomes of the result: a loss that was not told before is told now.
outcome release(grant held, const run_arguments& wanted, const outcome& result) {
  const std::string nodes = detail::in_one_line(held.node());
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
    const session_options options =
        with_access(wanted.access, {.timeout = wanted.session_timeout, .label = wanted.label});
    session session(wanted.servers, options);
    session_relay relay(session, guardian, wanted.servers, options.auth);
    const metrics_file figures(session, wanted.metrics, wanted.label.empty() ? wanted.names() : wanted.label);
    named_locks locks(session, wanted);
    attempt made = wait_for_lock(session, locks, wanted, signals, relay);
    if (!made.taken) {
      if (!made.message.empty() &&
          made.status != 0) {  // with --exit-status 0 a run that is left out is nothing to tell
        print_error(made.message);
      }
      return {.status = made.status, .interrupted_by = made.interrupted_by};
    }
    relay.look();
    const command_terms terms{wanted.command.front(),
                              (wanted.paths.size() == 1 ? "the lock " : "the locks ") + wanted.names(),
                              wanted.paths.size() > 1, wanted.kill_after, wanted.on_revoke};
    const outcome result = holding(terms, session, made.taken, signals, guardian).run().conclude();
    return release(std::move(made.taken), wanted, result);
  } catch (const error& failure) {
    print_error(failure.what());
    return {.status = exit_status::of(failure.code())};
  }
}

}  // namespace

int run(const run_arguments& wanted, std::span<char> own_arguments) {
  set_library_log(wanted.verbose);
  return guarded(wanted.command, own_arguments,
                 [&](signal_inbox& signals, guardian_process& guardian, const beginning&) {
                   return hold_and_run(wanted, signals, guardian);
                 });
}

}  // namespace zklock::cli
