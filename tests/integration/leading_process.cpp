// A candidate for tests that kill and freeze it: while it leads it writes its token into a file that only records, a line each
// millisecond. Arguments: connect string, "selector" or "latch", the file. Ends with its stdin; "resign" ends a term.
#include <fcntl.h>
#include <unistd.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  if (argc != 4) {
    return EXIT_FAILURE;
  }
  const int store = open(argv[3], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  zklock::session session(argv[1], {.timeout = 2s});
  const bool latch = argv[2] == std::string("latch");
  zklock::election candidate(session, "/e",
                             {.data = std::to_string(getpid()),
                              .names = latch ? zklock::election_names::latch : zklock::election_names::selector,
                              .stand_interval = 0ms});
  std::atomic<bool> resigns = false;
  std::jthread runs([&](const std::stop_token& stop) {
    candidate.run(
        [&](const zklock::term& term, const std::stop_token& enough) {
          const std::string line = std::to_string(term.token().czxid) + '\n';
          resigns = false;
          while (!enough.stop_requested() && !resigns) {
            if (term.held() && write(store, line.data(), line.size()) < 0) {
              std::abort();
            }
            std::this_thread::sleep_for(1ms);
          }
        },
        stop);
  });
  for (std::string line; std::getline(std::cin, line);) {
    resigns = line == "resign";
  }
}
