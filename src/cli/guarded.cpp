#include "src/cli/guarded.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <vector>

#include "src/cli/inherited_signals.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/process_tree.hpp"
#include "src/cli/session_ending.hpp"

namespace zklock::cli {
namespace {

/// Does not return, unless the signal does not end us.
void end_by(int signal_number, bool whole_group) {
  flush_errors_shortly();
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal_number, SIG_DFL);
  kill(whole_group ? 0 : getpid(), signal_number);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
}

/// `arguments`: as the kernel keeps them, one behind the other. Returns only if it fails.
void begin_anew(std::string arguments, const inherited_signals& inherited) {
  std::vector<char*> words;
  for (std::size_t at = 0; at < arguments.size(); at += std::strlen(&arguments[at]) + 1) {
    words.push_back(&arguments[at]);
  }
  words.push_back(nullptr);
  flush_errors_shortly();
  inherited.hand_on();
  execv("/proc/self/exe", words.data());
  print_error(std::string("begin anew: ") + std::strerror(errno));
}

}  // namespace

int guarded(std::span<const std::string> command, std::span<char> own_arguments,
            const std::function<outcome(signal_inbox&, guardian_process&)>& what) {
  require_proc();
  const std::string arguments(own_arguments.begin(), own_arguments.end());
  const inherited_signals inherited;
  outcome result;
  {
    guardian_process guardian(command, inherited, own_arguments, &execute_session_end);
    signal_inbox signals(inherited);
    adopt_orphans();
    result = what(signals, guardian);
    if (result.interrupted_by) {
      guardian.send(order::session{});  // it is over, or ends by itself: not worth a wait
      end_by(*result.interrupted_by, result.group_has_not_heard);
    }
  }
  if (result.begins_anew) {
    begin_anew(arguments, inherited);
  }
  return result.status;
}

}  // namespace zklock::cli
