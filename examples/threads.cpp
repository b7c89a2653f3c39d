// One session and one lock object for all threads, and a grant that moves from one thread to another.
//
//     threads SERVERS           e.g. 127.0.0.1:2181/example
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

//! [shared]
// What lock() acquires belongs to the calling thread, as with std::recursive_timed_mutex. This thread may lock again.
int count_in_threads(zklock::recursive_mutex& orders, int threads) {
  int counted = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      try {
        const std::scoped_lock outer(orders);
        const std::scoped_lock inner(orders);  // one count more, no request
        ++counted;
      } catch (const zklock::error& failure) {  // lock() throws; an exception must not leave a thread
        std::cerr << failure.what() << '\n';
      }
    });
  }
  workers.clear();  // joins
  return counted;
}
//! [shared]

//! [moved]
// A grant belongs to no thread. This thread acquires it; the thread that finishes the work releases it.
std::jthread finish_elsewhere(zklock::grant taken) {
  return std::jthread([g = std::move(taken)]() mutable {
    if (g.held()) std::cout << "working with token " << to_string(g.token()) << '\n';
    std::error_code ec;
    g.release(ec);  // waits for the server's reply; the destructor does not
  });
}
//! [moved]

//! [no owner]
// No thread owns a semaphore_mutex. One thread locks it, and another thread unlocks it. In between, no thread can lock
// it.
bool hand_over(zklock::semaphore_mutex& nightly) {
  std::unique_lock locked(nightly);
  const bool twice = static_cast<bool>(nightly.try_acquire());
  std::jthread([held = std::move(locked)]() mutable { held.unlock(); }).join();
  return !twice && !nightly.held();
}
//! [no owner]

//! [condition]
// Threads of one program that share a lock object may wait on a condition with this lock. While the condition is false,
// a wait unlocks the lock, and locks it again before it returns.
bool wait_until_counted(zklock::recursive_mutex& orders) {
  std::condition_variable_any changed;
  int counted = 0;  // guarded by `orders` within this program
  std::jthread counter([&] {
    const std::scoped_lock inside(orders);
    ++counted;
    changed.notify_all();
  });
  std::unique_lock guard(orders);
  changed.wait(guard, [&counted] { return counted == 1; });
  return orders.held();  // if the wait has unlocked, it has locked again: the token is a new one then
}
//! [condition]

//! [turns]
// Threads that contend for one lock object take turns with one node: those behind the first send no request.
int count_in_turns(zklock::session& session, int threads) {
  zklock::recursive_mutex orders(session, "/locks/turns", {.hand_over = zklock::local_handover{}});
  return count_in_threads(orders, threads);
}
//! [turns]

//! [keep]
// A process that takes its lock again and again: while no other client comes, its node stays, and most holds send nothing.
int count_alone(zklock::session& session, int times) {
  zklock::recursive_mutex orders(session, "/locks/kept", {.keep = zklock::kept_lock{}});
  int count = 0;
  for (int i = 0; i < times; ++i) {
    const std::lock_guard hold(orders);
    ++count;
  }
  return count;
}
//! [keep]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: threads SERVERS\n";
    return 64;
  }
  zklock::session session(arguments[1]);
  zklock::recursive_mutex orders(session, "/locks/threads");
  bool as_expected = count_in_threads(orders, 4) == 4;
  finish_elsewhere(orders.acquire()).join();
  as_expected = !orders.held() && as_expected;
  zklock::semaphore_mutex nightly(session, "/locks/nightly");
  as_expected = hand_over(nightly) && as_expected;
  as_expected = wait_until_counted(orders) && as_expected;
  as_expected = count_in_turns(session, 4) == 4 && as_expected;
  as_expected = count_alone(session, 1'000) == 1'000 && as_expected;
  return as_expected ? 0 : 1;
}
