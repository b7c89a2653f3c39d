#include "src/cli/guarded.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "src/cli/inherited_signals.hpp"
#include "src/cli/own_program.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/process_tree.hpp"
#include "src/cli/session_ending.hpp"
#include "src/cli/terminal.hpp"

namespace zklock::cli {
namespace {

/// Whatever kills each guardian at once shall not have the servers make sessions without a pause.
constexpr auto between_beginnings = std::chrono::seconds(1);

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

/// As that of its file: it was executed by no name.
void name_process(std::string_view first_argument) {
  const std::string name(first_argument.substr(first_argument.rfind('/') + 1));
  prctl(PR_SET_NAME, name.c_str());
}

/// `arguments`: as the kernel keeps them, one behind the other. Returns only if it fails.
void begin_anew(std::string arguments, const inherited_signals& inherited, bool at_a_terminal) {
  std::vector<char*> words;
  for (std::size_t at = 0; at < arguments.size(); at += std::strlen(&arguments[at]) + 1) {
    words.push_back(&arguments[at]);
  }
  words.push_back(nullptr);
  flush_errors_shortly();
  inherited.hand_on(at_a_terminal);
  execute_own_program(words.data());
  print_error(std::string("begin anew: ") + std::strerror(errno));
}

}  // namespace

int guarded(std::span<const std::string> command, std::span<char> own_arguments,
            const std::function<outcome(signal_inbox&, guardian_process&, const beginning&)>& what) {
  const auto begun_at = std::chrono::steady_clock::now();
  require_proc();
  open_own_program();
  const std::string arguments(own_arguments.begin(), own_arguments.end());
  const inherited_signals inherited;
  const beginning begun{inherited.begun_anew(), inherited.at_a_terminal() || terminal().exists()};
  if (begun.anew) {
    name_process(arguments.c_str());
  }
  outcome result;
  {
    guardian_process guardian(command, inherited, own_arguments, &execute_session_end);
    signal_inbox signals(inherited);
    adopt_orphans();
    result = what(signals, guardian, begun);
    if (result.interrupted_by) {
      guardian.send(order::session{});  // it is over, or ends by itself: not worth a wait
      end_by(*result.interrupted_by, result.group_has_not_heard);
    }
  }
  if (result.begins_anew) {
    std::this_thread::sleep_until(begun_at + between_beginnings);
    begin_anew(arguments, inherited, begun.at_a_terminal);
  }
  return result.status;
}

}  // namespace zklock::cli
