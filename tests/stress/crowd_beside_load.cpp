// Whether a session keeps its holds while a crowd of readers joins in it, beside a load of all processors:
// zklock_crowd_beside_load SERVERS [READERS [RUNS]]. Not a test: it takes the whole machine, and real time decides.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <zklock/zklock.hpp>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

double milliseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

/// Whether what was held before the crowd came is held when all of it has joined.
bool run(const std::string& servers, int readers) {
  zklock::session one(servers, {.timeout = 4s});
  if (!one.wait_connected_for(30s)) {
    throw std::runtime_error("not connected");
  }
  zklock::recursive_mutex kept(one, "/crowd/kept");
  zklock::shared_mutex joined(one, "/crowd/joined");
  zklock::semaphore_mutex other(one, "/crowd/other");
  const zklock::grant held = kept.acquire();
  const zklock::grant first = joined.read().acquire();

  std::atomic<bool> over = false;
  std::vector<std::jthread> load;
  for (unsigned i = 0; i < std::thread::hardware_concurrency() * 2; ++i) {
    load.emplace_back([&over] {
      while (!over) {}
    });
  }
  std::atomic<int> in = 0;
  std::atomic<int> failed = 0;
  const auto began = clock_type::now();
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < readers; ++i) {
      crowd.emplace_back([&] {
        std::error_code ec;
        const zklock::grant mine = joined.read().try_acquire_for(60s, ec);
        ++(mine ? in : failed);
        over.wait(false);
      });
    }
    double slowest = 0;
    while (in + failed < readers) {
      const auto asked = clock_type::now();
      std::error_code ec;
      static_cast<void>(other.try_acquire_for(30s, ec));
      slowest = std::max(slowest, milliseconds_since(asked));
    }
    const bool keeps = held.held() && first.held() && failed == 0;
    std::printf("%d of %d readers in %.0f ms; the slowest other acquire %.0f ms; holds %s\n", in.load(), readers,
                milliseconds_since(began), slowest, keeps ? "kept" : "LOST");
    std::fflush(stdout);
    over = true;
    over.notify_all();
    return keeps;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: zklock_crowd_beside_load SERVERS [READERS [RUNS]]\n");
    return 2;
  }
  const int readers = argc > 2 ? std::atoi(argv[2]) : 4'000;
  const int runs = argc > 3 ? std::atoi(argv[3]) : 5;
  int kept = 0;
  for (int i = 0; i < runs; ++i) {
    kept += run(argv[1], readers) ? 1 : 0;
  }
  std::printf("kept in %d of %d runs\n", kept, runs);
  return kept == runs ? 0 : 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
