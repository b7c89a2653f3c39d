// How a wait ends: in time, at its limit, when it is told to, or at once.
//
//     time_limits SERVERS       e.g. 127.0.0.1:2181/example
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [limits]
void each_way_to_wait(zklock::recursive_mutex& orders, std::error_code& ec) {
  zklock::grant now = orders.try_acquire(ec);  // does not wait behind another contender
  now = orders.try_acquire_for(200ms, ec);     // connecting, creating and waiting included
  const auto until = std::chrono::steady_clock::now() + 1s;
  now = orders.try_acquire_until(until, ec);  // several calls may share one deadline
}
//! [limits]

//! [who]
// For a round of work that one of many does: the others skip it, and may say whose it is.
std::string skip_or_work(zklock::recursive_mutex& round) {
  zklock::participant who;
  if (const zklock::grant mine = round.try_acquire(who)) return "works";
  return "skips: " + (who.label.empty() ? who.host : who.label) + " has it";
}
//! [who]

//! [stop]
// Another thread ends the wait: when a signal arrives, a request is cancelled, or the program ends.
std::error_code wait_until_told(zklock::recursive_mutex& orders, std::stop_token stop) {
  std::error_code ec;
  const zklock::grant g = orders.acquire(std::move(stop), ec);
  return ec;  // errc::abandoned; equals std::errc::operation_canceled
}
//! [stop]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: time_limits SERVERS\n";
    return 64;
  }
  zklock::session session(arguments[1]);
  zklock::session other(arguments[1]);
  zklock::recursive_mutex mine(session, "/locks/limits");
  zklock::recursive_mutex theirs(other, "/locks/limits", {.label = "the night shift"});
  const zklock::grant held = theirs.acquire();
  std::error_code ec;
  each_way_to_wait(mine, ec);
  bool as_expected = !ec;  // not in time is no error
  as_expected = as_expected && skip_or_work(mine) == "skips: the night shift has it";
  std::stop_source stop;
  std::error_code answer;
  std::jthread waiting([&] { answer = wait_until_told(mine, stop.get_token()); });
  stop.request_stop();
  waiting.join();
  as_expected = answer == std::errc::operation_canceled && as_expected;
  return as_expected ? 0 : 1;
}
