// A service of which one process is in Java still (BesideCpp.java) and one in C++ by now: they take the same locks, and
// lose nothing of what they count under them.
//
//     beside_java SERVERS ROUNDS PROCESSES  e.g. 127.0.0.1:2181/example 10 2
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include "program_handle.hpp"

using namespace std::chrono_literals;

//! [locks]
// The C++ and the Java program must agree on each path, its layout, and the number of a semaphore's permits.
struct service_locks {
  explicit service_locks(zklock::session& session)
      : orders(session, "/locks/orders"),
        nightly(session, "/locks/nightly", as_in_java),
        config(session, "/locks/config", as_in_java),
        pool(session, "/locks/pool", 2, as_in_java) {}

  const zklock::lock_options as_in_java{.layout = zklock::layout::curator};
  zklock::recursive_mutex orders;   // InterProcessMutex, which it excludes in either layout
  zklock::semaphore_mutex nightly;  // InterProcessSemaphoreMutex
  zklock::shared_mutex config;      // InterProcessReadWriteLock
  zklock::semaphore pool;           // InterProcessSemaphoreV2
};
//! [locks]

// Counters that any process may read, and write back one greater: a process that has not the lock to itself loses some.
class counters {
 public:
  counters(const program_handle& zookeeper, zklock::session& session) : zookeeper_(zookeeper), session_(session) {
    std::error_code there;
    session.transaction().create("/counters").commit(there);
    for (const char* name : {"/orders", "/nightly", "/config", "/pool", "/finished"}) {
      session.transaction().create(std::string("/counters") + name, "0").commit(there);
    }
  }
  [[nodiscard]] int read(const std::string& name) const { return std::stoi(zookeeper_.read("/counters" + name)); }
  void increment(const std::string& name) {
    session_.transaction().set("/counters" + name, std::to_string(read(name) + 1)).commit();
  }

 private:
  const program_handle& zookeeper_;
  zklock::session& session_;
};

//! [mutex]
bool take_order(service_locks& locks, counters& count) {
  // as(this_thread()): this thread may acquire again, as in Java. The limit covers connecting and waiting.
  if (zklock::grant g = locks.orders.as(zklock::owner::this_thread()).try_acquire_for(30s)) {
    count.increment("/orders");
    return g.held();  // still held after the work?
  }                   // the grant is released here, also if an exception is thrown
  return false;
}
//! [mutex]

//! [semaphore mutex]
void run_nightly(service_locks& locks, counters& count) {
  zklock::grant g = locks.nightly.acquire();
  std::jthread([g = std::move(g), &count] { count.increment("/nightly"); }).join();  // that thread releases it
}
//! [semaphore mutex]

//! [read/write]
bool change_config(service_locks& locks, counters& count) {
  zklock::grant g = locks.config.write().acquire();
  count.increment("/config");
  const int written = count.read("/config");
  g.downgrade();  // Java: readLock().acquire(); writeLock().release();
  return count.read("/config") == written;
}
//! [read/write]

//! [permits]
void use_pool(service_locks& locks, counters& count) {
  const zklock::grant both = locks.pool.permits(2).acquire();  // one grant for two permits
  count.increment("/pool");
}
//! [permits]

//! [multi]
void close_the_day(service_locks& locks, counters& count) {
  zklock::multi_lock all{locks.orders, locks.nightly};  // acquires its parts in this order, as Java does
  const zklock::grant g = all.acquire();
  count.increment("/orders");
  count.increment("/nightly");
}
//! [multi]

//! [questions]
// isOwnedByCurrentThread() is orders.held(). In place of isAcquiredInThisProcess(), ask each of your grants: g.held().
bool ask(zklock::recursive_mutex& orders) {
  const bool before = orders.held();  // false: this thread does not hold; another thread may
  const zklock::grant g = orders.as(zklock::owner::this_thread()).acquire();  // as Java's acquire()
  const std::vector<zklock::participant> queue = orders.queue();              // includes Java's
  return !before && orders.held() && g.held() && !queue.empty() && queue.front().node == g.node();
}
//! [questions]

//! [listener]
// A ConnectionStateListener interrupts the work. Here the work asks its own grant; the observer only logs.
zklock::session_observer log_states(zklock::session& session) {
  return session.observe([](const zklock::session_change& change) {
    std::cout << to_string(change.state) << (change.new_session ? ": all earlier holds are lost" : "") << '\n';
  });
}
//! [listener]

bool same_as_expected(const counters& count, int rounds, int processes) {
  while (count.read("/finished") < processes) {
    std::this_thread::sleep_for(10ms);
  }
  bool right = true;
  for (const auto& [name, of_each] : {std::pair("/orders", 2), {"/nightly", 2}, {"/config", 1}, {"/pool", 1}}) {
    const int wanted = of_each * rounds * processes;
    const int got = count.read(name);
    std::cout << name << ": " << got << " of " << wanted << '\n';
    right = right && got == wanted;
  }
  return right;
}

int main(int argument_count, char** arguments) {
  if (argument_count != 4) {
    std::cerr << "usage: beside_java SERVERS ROUNDS PROCESSES\n";
    return 64;
  }
  try {
    const program_handle zookeeper(arguments[1]);
    zklock::session session = zklock::adopt(zookeeper.get());
    const zklock::session_observer log = log_states(session);
    service_locks locks(session);
    counters count(zookeeper, session);
    const int rounds = std::stoi(arguments[2]);
    bool right = true;
    for (int round = 0; round < rounds; ++round) {
      right = take_order(locks, count) && change_config(locks, count) && ask(locks.orders) && right;
      run_nightly(locks, count);
      use_pool(locks, count);
      close_the_day(locks, count);
    }
    {
      const zklock::grant g = locks.orders.acquire();
      count.increment("/finished");
    }
    return same_as_expected(count, rounds, std::stoi(arguments[3])) && right ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
