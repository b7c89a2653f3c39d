// The first fifteen lines: a lock, work under it, and a store that refuses who comes too late.
//
//     first_lock SERVERS        e.g. 127.0.0.1:2181/example
#include <iostream>
#include <mutex>

//! [first lock]
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

// A store that compares tokens: whoever comes with a smaller one than it has seen has lost the lock meanwhile.
struct store {
  std::int64_t mark = 0;
  bool write(std::string_view, zklock::fencing_token token) {
    return token.value >= mark && (mark = token.value, true);
  }
};

int work(const char* servers) {
  zklock::session session(servers, {.timeout = 10s});
  zklock::recursive_mutex orders(session, "/locks/orders");
  store storage;
  {
    std::scoped_lock guard(orders);  // every std guard works
    storage.write("first", orders.token());
  }
  if (zklock::grant g = orders.try_acquire_for(200ms)) {  // or hold the grant itself
    if (g.held()) storage.write("second", g.token());     // held() asks the clock: no request
  }
  return storage.mark > 0 ? 0 : 1;
}
//! [first lock]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: first_lock SERVERS\n";
    return 64;
  }
  try {
    return work(arguments[1]);
  } catch (const zklock::error& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
