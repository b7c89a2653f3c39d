#include "src/cli/guarded.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "src/cli/inherited_signals.hpp"
#include "src/cli/process_tree.hpp"
#include "src/cli/session_ending.hpp"

namespace zklock::cli {
namespace {

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

int guarded(std::span<const std::string> command, std::span<char> own_arguments,
            const std::function<outcome(signal_inbox&, guardian_process&)>& what) {
  require_proc();
  const inherited_signals inherited;
  guardian_process guardian(command, inherited, own_arguments, &execute_session_end);
  signal_inbox signals(inherited);
  adopt_orphans();
  const outcome result = what(signals, guardian);
  if (result.interrupted_by) {
    guardian.send(order::session{});  // it is over, or ends by itself: not worth a wait
    end_by(*result.interrupted_by, result.group_has_not_heard);
  }
  return result.status;
}

}  // namespace zklock::cli
