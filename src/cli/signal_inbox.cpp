#include "src/cli/signal_inbox.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace zklock::cli {
namespace {

constexpr std::array passed_on{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void notice_children() {  // with SIGCHLD ignored, a child leaves no status behind
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, nullptr);
}

}  // namespace

signal_inbox::signal_inbox() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  for (const int number : passed_on) {
    if (!is_ignored(number)) {  // a blocked signal arrives although it is ignored
      sigaddset(&wanted, number);
    }
  }
  descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  notice_children();
  sigaddset(&wanted, SIGPIPE);  // a message that nobody reads must not end the lock
  pthread_sigmask(SIG_BLOCK, &wanted, &original_mask_);
}

signal_inbox::~signal_inbox() { close(descriptor_); }

std::optional<signal_inbox::message> signal_inbox::take() {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return message{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace zklock::cli
