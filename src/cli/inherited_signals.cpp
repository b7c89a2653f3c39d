#include "src/cli/inherited_signals.hpp"

#include <pthread.h>

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace zklock::cli {
namespace {

/// For this very program, begun anew: a bit for each signal that was blocked, in hex; whether SIGCHLD was ignored; and whether there
/// was a terminal.
constexpr const char* handed_on = "ZKLOCK_BEGUN_ANEW";
constexpr int signals = 64;

bool blocks_all(const sigset_t& mask) {
  constexpr int standard_signals = 31;
  bool all = true;
  for (int number = 1; number <= standard_signals; ++number) {
    all = all && (number == SIGKILL || number == SIGSTOP || sigismember(&mask, number) == 1);
  }
  return all;
}

}  // namespace

inherited_signals::inherited_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask_);
  struct sigaction noticed {};  // with SIGCHLD ignored, a child leaves no status behind
  noticed.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &noticed, &on_child_);
  const char* const said = std::getenv(handed_on);
  std::uint64_t blocked = 0;
  char ignores = 0, terminal = 0;
  // a user's variable of this name is not believed
  begun_anew_ = said != nullptr && blocks_all(mask_) &&
                std::sscanf(said, "%" SCNx64 ":%c:%c", &blocked, &ignores, &terminal) == 3;
  if (begun_anew_) {
    for (int number = 1; number <= signals; ++number) {
      (blocked >> (number - 1) & 1U) != 0 ? sigaddset(&mask_, number) : sigdelset(&mask_, number);
    }
    on_child_.sa_handler = ignores == 'i' ? SIG_IGN : SIG_DFL;
    at_a_terminal_ = terminal == 't';
  }
  unsetenv(handed_on);
}

void inherited_signals::restore() const {
  if (on_child_.sa_handler == SIG_IGN) {  // all else is the default after exec()
    sigaction(SIGCHLD, &on_child_, nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

void inherited_signals::hand_on(bool at_a_terminal) const {
  std::uint64_t blocked = 0;
  for (int number = 1; number <= signals; ++number) {
    blocked |= std::uint64_t{sigismember(&mask_, number) == 1} << (number - 1);
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%" PRIx64 ":%c:%c", blocked, on_child_.sa_handler == SIG_IGN ? 'i' : '-',
                at_a_terminal ? 't' : '-');
  if (setenv(handed_on, text.data(), 1) == 0) {  // else it would find all blocked
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
  }
}

bool inherited_signals::is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace zklock::cli
