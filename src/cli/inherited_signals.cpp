#include "src/cli/inherited_signals.hpp"

#include <pthread.h>

namespace zklock::cli {

inherited_signals::inherited_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask_);
  struct sigaction noticed {};  // with SIGCHLD ignored, a child leaves no status behind
  noticed.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &noticed, &on_child_);
}

void inherited_signals::restore() const {
  if (on_child_.sa_handler == SIG_IGN) {  // all else is the default after exec()
    sigaction(SIGCHLD, &on_child_, nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

bool inherited_signals::is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace zklock::cli
