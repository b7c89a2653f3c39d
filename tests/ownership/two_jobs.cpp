// Two jobs of a thread pool, on one thread: the second one does not hold what the first one holds.
//
//     two_jobs SERVERS
#include <zklock/zklock.hpp>

#include <chrono>
#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: two_jobs SERVERS\n";
    return 64;
  }
  using namespace std::chrono_literals;
  zklock::session session(arguments[1]);
  zklock::recursive_mutex orders(session, "/locks/orders");
  const zklock::grant a = orders.acquire();               // the first job, which goes on elsewhere
  const zklock::grant b = orders.try_acquire_for(100ms);  // the second one, on the same thread
  std::cout << "A held " << a.held() << ", B held " << b.held() << '\n';
  return 0;
}
