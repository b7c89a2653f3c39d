// What a session goes through, and how a program hears of it.
//
//     session_states SERVERS    e.g. 127.0.0.1:2181/example
#include <condition_variable>
#include <iostream>
#include <mutex>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [start]
// The constructor does not wait for a server. A program that needs one can check at its start.
bool ready(zklock::session& session) {
  if (session.wait_connected_for(5s)) return true;
  std::cerr << "no ZooKeeper at " << session.servers() << " (" << to_string(session.state()) << ")\n";
  return false;
}
//! [start]

//! [observe]
// The function runs at every change, in order, on the session's notification thread, until the observer is destroyed.
zklock::session_observer log_changes(zklock::session& session) {
  return session.observe([](const zklock::session_change& change) {
    std::cout << to_string(change.state) << (change.new_session ? ", in a new session" : "") << '\n';
  });
}
//! [observe]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: session_states SERVERS\n";
    return 64;
  }
  zklock::session session(arguments[1], {.timeout = 10s, .label = "example"});
  const zklock::session_observer log = log_changes(session);
  if (!ready(session)) return 69;
  session.close();  // throws if no server has confirmed that nothing is left
  return session.state() == zklock::session_state::closed ? 0 : 1;
}
