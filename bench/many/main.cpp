// Many locks held by one session, or many waiters: what each costs in time and memory. The driver is bench/driver/many.py.
#include <zookeeper/zookeeper.h>

#include <malloc.h>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/zklock.hpp>

#include "bench/common/crew.hpp"

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// What C++ code has of the heap, the allocator's rounding included: zklock's, since all of this program's is there before.
/// The C client is C, and allocates otherwise.
std::atomic<long> of_cpp = 0;

void* counted(void* given) {
  if (given == nullptr) {
    throw std::bad_alloc();
  }
  of_cpp.fetch_add(static_cast<long>(malloc_usable_size(given)), std::memory_order_relaxed);
  return given;
}

void give_back(void* given) noexcept {
  of_cpp.fetch_sub(static_cast<long>(malloc_usable_size(given)), std::memory_order_relaxed);
  std::free(given);
}

/// Returns when the driver says so.
void await_driver() {
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::exit(0);
  }
}

/// From one line of JSON to the next: seconds, and what has been allocated.
class phase {
 public:
  /// The next one begins when the driver says so.
  void end(std::string_view name, long count) {
    const double seconds = std::chrono::duration<double>(clock::now() - begun_).count();
    std::cout << "{\"phase\":\"" << name << "\",\"count\":" << count << ",\"seconds\":" << seconds
              << ",\"ours\":" << of_cpp - ours_ << "}" << std::endl;
    await_driver();
    begun_ = clock::now();
    ours_ = of_cpp;
  }

 private:
  clock::time_point begun_ = clock::now();
  long ours_ = of_cpp;
};

struct client {
  explicit client(const std::string& servers) : session(servers, {.timeout = 30s}) {
    if (!session.wait_connected_for(30s)) {
      throw std::runtime_error("not connected");
    }
  }
  zklock::session session;
};

/// One session takes `count` mutexes of as many paths, 64 at a time, and keeps them.
void hold(const std::string& servers, const std::string& path, long count) {
  struct held {
    std::unique_ptr<zklock::recursive_mutex> lock;
    zklock::grant grant;
  };
  client one(servers);
  std::vector<held> all(static_cast<std::size_t>(count));
  std::atomic<long> next = 0;
  bench::crew workers(64, [&](int) {
    for (long number = next++; number < count; number = next++) {
      held& mine = all[static_cast<std::size_t>(number)];
      mine.lock = std::make_unique<zklock::recursive_mutex>(one.session, path + "/" + std::to_string(number));
      mine.grant = mine.lock->acquire();
    }
  });
  phase now;
  workers.start();
  workers.wait_done();
  now.end("taken", count);
  long lost = 0;
  for (const held& each : all) {
    lost += each.grant.held() ? 0 : 1;
  }
  now.end("kept", count - lost);
  all.clear();
  one.session.close();
  now.end("given back", count);
}

/// `count` threads of as many sessions as asked for, one lock object a session, wait for a lock that another process holds.
void wait(const std::string& servers, const std::string& path, long count, long sessions) {
  std::list<client> clients;
  std::vector<std::unique_ptr<zklock::recursive_mutex>> locks;
  for (long number = 0; number < sessions; ++number) {
    locks.push_back(std::make_unique<zklock::recursive_mutex>(clients.emplace_back(servers).session, path));
  }
  bench::crew workers(static_cast<int>(count), [&](int number) {
    const zklock::grant mine = locks[static_cast<std::size_t>(number % sessions)]->acquire();
  });
  phase now;
  now.end("connected", count);
  workers.start();
  await_driver();  // it sees on the server when all wait
  now.end("waiting", count);
  workers.wait_done();
  now.end("drained", count);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void operator delete(void* given) noexcept { give_back(given); }
void operator delete(void* given, std::size_t) noexcept { give_back(given); }
// The pools of std::pmr ask so.
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
}
void operator delete(void* given, std::align_val_t) noexcept { give_back(given); }
void operator delete(void* given, std::size_t, std::align_val_t) noexcept { give_back(given); }

int main(int count, char** arguments) {
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  if (count < 5 || count > 6) {
    std::cerr << "usage: zklock_bench_many SERVERS PATH hold COUNT\n       zklock_bench_many SERVERS PATH wait COUNT "
                 "SESSIONS\n";
    return 64;
  }
  try {
    const std::string servers = arguments[1], path = arguments[2], what = arguments[3];
    what == "hold" ? hold(servers, path, std::stol(arguments[4]))
                   : wait(servers, path, std::stol(arguments[4]), count > 5 ? std::stol(arguments[5]) : 1);
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
