// A worker of the demo, a process of its own: reads a number from a store, adds one, and writes it back, again and
// again, under a lock. This is what a program that must not lose an update looks like: see increment().
//
//     demo_worker NUMBER INCREMENTS STORE SERVERS LOCK
//     demo_worker NUMBER INCREMENTS STORE                 without a lock
//
// It says each step on its standard output (event.hpp). Before each write it waits for a byte on its standard input:
// the demo's leave.
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include <zklock/zklock.hpp>

#include "examples/demo/event.hpp"
#include "examples/demo/library_log.hpp"
#include "examples/demo/remote_store.hpp"
#include "examples/demo/session_timeout.hpp"

namespace {

using namespace std::chrono_literals;
using demo::step;

/// Stands for the real work: what comes next depends on what was read.
std::int64_t compute(std::int64_t found) {
  std::this_thread::sleep_for(1ms);
  return found + 1;
}

class worker {
 public:
  worker(int number, const std::string& store) : number_(number), store_(store) {}

  /// Whether the store has taken one increment more.
  bool increment(zklock::recursive_mutex& mutex) {
    const auto asked = demo::clock::now();
    zklock::grant grant = mutex.acquire();  // released at the end, on every way out
    const std::int64_t token = grant.token().number();
    say(step::acquired, token, (demo::clock::now() - asked) / 1us);

    const std::optional<std::int64_t> found = store_.read(token);
    if (!found) return give_up(grant, step::refused, 0);
    say(step::read, token, *found);
    const std::int64_t next = compute(*found);

    if (!grant.held()) return give_up(grant, step::lost);  // ask before each write ...
    say(step::checked, token);
    wait_for_leave();  // ... and yet a process may be stopped here, for however long ...
    if (!store_.write(next, token)) return give_up(grant, step::refused, 1);  // ... so bring the token as well
    say(step::wrote, token, next);
    say(step::releases, token);
    return true;
  }

  bool increment_without_lock() {
    const std::int64_t found = store_.read(0).value();
    say(step::read, 0, found);
    const std::int64_t next = compute(found);
    wait_for_leave();
    if (!store_.write(next, 0)) throw std::runtime_error("the store has seen a token");
    say(step::wrote, 0, next);
    return true;
  }

  void begin() const {
    say(step::ready);
    wait_for_leave();
  }
  void end() const { say(step::done); }

 private:
  /// The lock is gone: says why, so that the caller tries again.
  bool give_up(const zklock::grant& grant, step what, std::int64_t number = 0) const {
    const std::int64_t token = grant.token().number();
    if (what == step::refused) say(step::refused, token, number);
    if (grant.lost().stop_requested()) {
      say(step::lost, token, 0, to_string(grant.loss_reason()));
    } else {
      say(step::still_held, token);
    }
    return false;
  }

  /// One line in one write, so that lines of several processes do not mix.
  void say(step what, std::int64_t token = 0, std::int64_t number = 0, std::string_view text = {}) const {
    const std::string line = demo::to_line({number_, demo::clock::now(), what, token, number, std::string(text)});
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) throw std::runtime_error("no process reads the output");
  }
  static void wait_for_leave() {
    char leave = 0;
    if (::read(STDIN_FILENO, &leave, 1) != 1) throw std::runtime_error("the demo has gone");
  }

  int number_;
  demo::remote_store store_;
};

void work_with_lock(worker& self, long increments, const std::string& servers, const std::string& lock,
                    const std::string& label) {
  zklock::session session(servers, {.timeout = demo::session_timeout, .label = label});
  if (!session.wait_connected_for(10s)) throw std::runtime_error("no ZooKeeper at " + servers);
  zklock::recursive_mutex mutex(session, lock);
  self.begin();
  for (long made = 0; made < increments;) made += self.increment(mutex) ? 1 : 0;
  self.end();
}

void work_without_lock(worker& self, long increments) {
  self.begin();
  for (long made = 0; made < increments;) made += self.increment_without_lock() ? 1 : 0;
  self.end();
}

/// No worker outlives the demo, however that ends. (One that is started too late for this finds its standard input
/// closed.)
void end_with_the_demo() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace

int main(int argc, char** argv) try {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (argc != 4 && argc != 6) throw std::invalid_argument("demo_worker NUMBER INCREMENTS STORE [SERVERS LOCK]");
  end_with_the_demo();
  demo::silence_the_library();
  worker self(std::stoi(arguments[1]), arguments[3]);
  const long increments = std::stol(arguments[2]);
  if (argc == 6) {
    work_with_lock(self, increments, arguments[4], arguments[5], std::string("worker ") + arguments[1]);
  } else {
    work_without_lock(self, increments);
  }
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::cerr << "demo_worker: " << error.what() << std::endl;
  return EXIT_FAILURE;
}
