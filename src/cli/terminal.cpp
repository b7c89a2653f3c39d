#include "src/cli/terminal.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace zklock::cli {
namespace {

bool is_pipe(int descriptor) {
  struct stat about {};
  return fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

/// It is pending, and blocked.
void let_it_stop_us(int signal_number) {
  sigset_t this_one;
  sigset_t blocked;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &this_one, &blocked);  // here
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

bool is_deserted(pid_t group) { return kill(-group, 0) != 0 && errno == ESRCH; }

}  // namespace

terminal::terminal() {
  const int device = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (device >= 0) {
    device_ = owned_descriptor(device, "open");
  }
}

bool terminal::is_ours() const noexcept { return exists() && tcgetpgrp(device_.get()) == getpgrp(); }

bool terminal::is_for_command() const noexcept {
  return is_ours() && tcgetpgrp(STDIN_FILENO) == getpgrp() && !is_pipe(STDOUT_FILENO) && !is_pipe(STDERR_FILENO);
}

void terminal::hand_to(pid_t group) const noexcept { tcsetpgrp(device_.get(), group); }

bool terminal::take_back_from(pid_t group) const noexcept {
  const pid_t owner = exists() ? tcgetpgrp(device_.get()) : -1;
  if (owner <= 0 || owner == getpgrp() || (owner != group && !is_deserted(owner))) return false;
  tcsetpgrp(device_.get(), getpgrp());
  return owner == group;
}

void stop_by(int signal_number) {
  kill(getpid(), signal_number);
  let_it_stop_us(signal_number);
}

void stop_group_by(int signal_number) {
  kill(0, signal_number);
  let_it_stop_us(signal_number);
}

}  // namespace zklock::cli
