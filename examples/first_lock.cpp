// The first fifteen lines: a lock, work under it, and a store that refuses a late write.
//
//     first_lock SERVERS        e.g. 127.0.0.1:2181/example
#include <iostream>
#include <mutex>

#include <zklock/zklock.hpp>

// A store that compares tokens: a client with a smaller one than the store has seen has lost the lock meanwhile.
struct store {
  zklock::fencing_token mark{};
  bool write(std::string_view, zklock::fencing_token token) { return token >= mark && (mark = token, true); }
};

//! [first lock]
using namespace std::chrono_literals;

void work(const char* servers, store& storage) {
  zklock::session session(servers, {.timeout = 10s});
  zklock::recursive_mutex orders(session, "/locks/orders");
  {
    std::scoped_lock guard(orders);          // std's guards work
    storage.write("first", orders.token());  // the store refuses a smaller token later
  }
  if (zklock::grant g = orders.try_acquire_for(200ms)) {  // a grant is a hold as an object
    if (g.held()) storage.write("second", g.token());     // held() sends no request
  }
}
//! [first lock]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: first_lock SERVERS\n";
    return 64;
  }
  try {
    store storage;
    work(arguments[1], storage);
    return storage.mark.czxid > 0 ? 0 : 1;
  } catch (const zklock::error& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
