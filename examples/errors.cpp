// What a call can come to: a grant, no grant in time, or an error; with and without exceptions.
//
//     errors SERVERS            e.g. 127.0.0.1:2181/example
#include <iostream>
#include <system_error>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [outcomes]
// Three results: the work is done, or can be tried again later, or is impossible.
std::string_view update(zklock::recursive_mutex& orders) {
  std::error_code ec;
  zklock::grant g = orders.try_acquire_for(2s, ec);
  if (g) {
    return "done";  // work here
  }
  if (!ec) {
    return "another client holds";  // no error: the time limit has passed in the queue
  }
  if (zklock::ends_session(ec)) {
    return "the session has ended";
  }
  return zklock::is_transient(ec) ? "try again later" : "an operator has to look";
}
//! [outcomes]

//! [exceptions]
// A throwing form tells everything in one exception.
void explain(zklock::session& session) {
  try {
    zklock::recursive_mutex lock(session, "locks/orders");  // refused: no request is sent
  } catch (const zklock::error& failure) {
    std::cout << failure.what() << '\n';  // the operation, the value, and the rule that it breaks
    std::cout << failure.path() << '\n';  // "locks/orders"
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
  as_expected = update(mine) == "the session has ended" && as_expected;
  return as_expected ? 0 : 1;
}
