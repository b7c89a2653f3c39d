// A service of which one process at a time leads, until SIGTERM ends it. Start it several times.
//
//     leader_service SERVERS NAME   e.g. 127.0.0.1:2181/example ann
#include <condition_variable>
#include <csignal>
#include <exception>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [lead]
// One term: the leader works until it is asked to stop. Each of its writes carries term.token(), or is guarded by `term`.
void lead(const zklock::term& term, std::stop_token enough) {
  std::cout << "leads, token " << to_string(term.token()) << std::endl;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, enough, [] { return false; });  // stands for the work
  std::cout << (term.held() ? "resigns" : to_string(term.loss_reason())) << std::endl;
}
//! [lead]

//! [main]
int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: leader_service SERVERS NAME\n";
    return 64;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before the session is made: all its threads inherit the mask
  try {
    zklock::session session(arguments[1], {.timeout = 10s});
    zklock::election election(session, "/elections/tea-room", {.data = arguments[2]});
    std::stop_source stop;
    std::thread([signals, stop]() mutable {
      int signal = 0;
      sigwait(&signals, &signal);
      stop.request_stop();
    }).detach();  // it may wait for a signal that never comes
    election.run(lead, stop.get_token());
    std::error_code ec;
    session.close(ec);
    if (ec) std::cerr << "close: " << ec.message() << '\n';  // without a server: the node goes with the session
    return 0;
  } catch (const std::exception& failure) {  // what no retry can mend
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
//! [main]
