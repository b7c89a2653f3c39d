#include "src/cli/signal_inbox.hpp"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>

namespace zklock::cli {
namespace {

constexpr std::array passed_on{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};

}  // namespace

signal_inbox::signal_inbox(const inherited_signals& inherited) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  for (const int number : passed_on) {
    if (!inherited_signals::is_ignored(number)) {  // a blocked signal arrives although it is ignored
      sigaddset(&wanted, number);
    }
  }
  descriptor_ = owned_descriptor(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  sigaddset(&wanted, SIGPIPE);  // a message that no process reads must not end the lock
  sigaddset(&wanted, SIGTTOU);  // nor stop it; and the terminal is given back from the background
  sigorset(&wanted, &wanted, &inherited.mask());
  pthread_sigmask(SIG_SETMASK, &wanted, nullptr);
}

std::optional<int> signal_inbox::take() {
  signalfd_siginfo info{};
  if (read(descriptor_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return static_cast<int>(info.ssi_signo);
}

}  // namespace zklock::cli
