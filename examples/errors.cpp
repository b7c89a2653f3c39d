// What a call can come to: a grant, no grant in time, or an error; with and without exceptions.
//
//     errors SERVERS            e.g. 127.0.0.1:2181/example
#include <iostream>
#include <system_error>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [outcomes]
// Returns what became of the work: done, left for another time, or impossible.
std::string_view update(zklock::recursive_mutex& orders) {
  std::error_code ec;
  zklock::grant g = orders.try_acquire_for(2s, ec);
  if (g) {
    return "done";  // work here
  }
  if (!ec) {
    return "another client is at it";  // not in time, and the queue was seen
  }
  if (zklock::ends_session(ec)) {
    return "this session object is of no use any more";
  }
  return zklock::is_transient(ec) ? "not now: try again later" : "never like this: an operator has to look";
}
//! [outcomes]

//! [exceptions]
// The throwing forms say all of it in one object.
void explain(zklock::session& session) {
  try {
    zklock::recursive_mutex lock(session, "locks/orders");  // refused before anything is sent
  } catch (const zklock::error& failure) {
    std::cout << failure.what() << '\n';  // the operation, the value at fault, and what is wrong with it
    std::cout << failure.path() << '\n';  // locks/orders
    if (failure.code() == zklock::errc::invalid_path) std::cout << "give it a path that begins with /\n";
    if (failure.code() == std::errc::invalid_argument) std::cout << "or ask in std's words\n";
  }
}
//! [exceptions]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: errors SERVERS\n";
    return 64;
  }
  zklock::session session(arguments[1]);
  zklock::session other(arguments[1]);
  zklock::recursive_mutex mine(session, "/locks/errors");
  zklock::recursive_mutex theirs(other, "/locks/errors");
  explain(session);
  bool as_expected = update(mine) == "done";
  const zklock::grant held = theirs.acquire();
  std::error_code ec;
  as_expected = !mine.try_acquire(ec) && !ec && as_expected;  // one try: an empty grant, no error
  session.close();
  as_expected = update(mine) == "this session object is of no use any more" && as_expected;
  return as_expected ? 0 : 1;
}
