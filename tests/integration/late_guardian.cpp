// In zklock, it makes a fault certain that needs a busy machine: the guardian is first run when zklock is dead.
#include <pthread.h>
#include <unistd.h>

namespace {

pid_t zklock = 0;

void note_parent() { zklock = getpid(); }
void wait_for_its_end() {
  while (getppid() == zklock) {
    usleep(1'000);
  }
}
[[maybe_unused]] const int registered = pthread_atfork(note_parent, nullptr, wait_for_its_end);

}  // namespace
