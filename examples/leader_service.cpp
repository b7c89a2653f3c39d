// A service of which one process at a time leads, until SIGTERM ends it. Start it several times.
//
//     leader_service SERVERS NAME   e.g. 127.0.0.1:2181/example ann
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <exception>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

#include <zklock/zklock.hpp>

#include "candidate.hpp"

//! [lead]
// One term: the leader works until a stop is requested of `enough`. Each of the leader's writes carries
// leadership.token(), or is guarded by the grant.
void lead(const zklock::grant& leadership, const std::stop_token& enough) {
  std::cout << "leads, token " << to_string(leadership.token()) << std::endl;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, enough, [] { return false; });  // stands for the work
  std::cout << (leadership.held() ? "resigns" : to_string(leadership.loss_reason())) << std::endl;
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
    candidate self(session, "/elections/tea-room", arguments[2], lead);
    std::jthread on_signal([&signals, &self] {
      int signal = 0;
      sigwait(&signals, &signal);
      self.resign();
    });
    const std::error_code reason = self.wait();  // until a resignation or an error
    kill(getpid(), SIGTERM);                     // ends sigwait(), if an error has ended the candidate
    on_signal.join();
    std::error_code ec;
    session.close(ec);
    if (ec) std::cerr << "close: " << ec.message() << '\n';  // without a server: the node goes with the session
    if (reason == zklock::errc::abandoned) return 0;
    std::cerr << "the candidate has ended: " << reason.message() << '\n';
    return 69;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
//! [main]
