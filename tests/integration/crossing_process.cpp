// One of two that wait for each other, for the tests of zklock doctor. Arguments: connect string, the lock that it takes first, the
// one that it takes then, as soon as somebody has that one. Ends with SIGTERM.
#include <zklock/zklock.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  if (argc != 4) {
    return EXIT_FAILURE;
  }
  zklock::session session(argv[1], {.timeout = 2s, .label = "crossing"});
  zklock::recursive_mutex first(session, argv[2]), second(session, argv[3]);
  first.lock();
  while (second.queue().empty()) {
    std::this_thread::sleep_for(5ms);
  }
  std::cout << "crosses" << std::endl;
  second.lock();
  std::cout << "has both" << std::endl;
  second.unlock();
  first.unlock();
}
