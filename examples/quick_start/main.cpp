//! [quick start]
#include <chrono>
#include <exception>
#include <iostream>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: my_service SERVERS   (host:port[,host:port...][/chroot])\n";
    return 64;
  }
  try {
    zklock::session session(arguments[1], {.timeout = 10s});
    zklock::recursive_mutex orders(session, "/locks/orders");
    zklock::grant g = orders.try_acquire_for(10s);  // the time limit covers connecting, too
    if (!g) {
      std::cerr << "another client holds " << orders.path() << '\n';
      return 75;
    }
    std::cout << "token " << zklock::to_string(g.token()) << '\n';  // send it with each write
    for (int step = 1; step <= 3 && g.held(); ++step) {             // held() sends no request
      std::cout << "step " << step << '\n';                         // one step of the work
    }
    g.release();  // throws if the lock was lost, or if no server confirms the release in time
    return 0;
  } catch (const std::exception& failure) {  // what() has the operation, the path and the reason
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
//! [quick start]
