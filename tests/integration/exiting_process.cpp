// A process that is to end with its lock: each millisecond it writes its token into a file that only records, and asks nobody. Each
// other thread of the program and of the library that runs its code is stuck. Arguments: connect string, the file.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <zklock/zklock.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <thread>

// The sanitizer would sleep for a second in _exit(), to see more, while the other threads go on.
extern "C" const char* __tsan_default_options();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
extern "C" const char* __tsan_default_options() { return "atexit_sleep_ms=0"; }

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int store = argc == 3 ? open(argv[2], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : -1;
  if (store < 0) {
    return EXIT_FAILURE;
  }
  zklock::session session(argv[1], {.timeout = 2s});
  zklock::recursive_mutex lock(session, "/lock");
  const zklock::grant held = lock.acquire();
  zklock::exit_on_loss(held, 75);
  const std::stop_callback stuck(held.lost(), [] { std::this_thread::sleep_for(1h); });
  const std::string line = std::to_string(held.token().czxid) + '\n';
  for (;;) {
    if (write(store, line.data(), line.size()) < 0) {
      std::abort();
    }
    std::this_thread::sleep_for(1ms);
  }
}
