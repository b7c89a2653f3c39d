#pragma once

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace bench {

using clock = std::chrono::steady_clock;

/// Worker i acquires and gives back lock i modulo their count, again and again, until then.
struct cycling {
  const std::vector<std::unique_ptr<zklock::recursive_mutex>>& locks;
  int workers;
  clock::time_point until;
  std::atomic<long> cycles{0};

  [[nodiscard]] zklock::recursive_mutex& lock_of(int worker) const {
    return *locks[static_cast<std::size_t>(worker) % locks.size()];
  }
  [[nodiscard]] bool over() const { return clock::now() >= until; }
};

/// A crowd that waits for one lock. Each gives back at once what it gets.
class waiting {
 public:
  waiting() = default;
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;
  virtual ~waiting() = default;
  /// Returns when each has got it.
  virtual void wait_done() = 0;
};

/// How a program has many acquisitions in flight.
class way {
 public:
  way() = default;
  way(const way&) = delete;
  way& operator=(const way&) = delete;
  virtual ~way() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// Returns when all workers have ended.
  virtual void cycle(cycling& what) = 0;
  [[nodiscard]] virtual std::unique_ptr<waiting> wait(zklock::recursive_mutex& lock, int count) = 0;
};

[[nodiscard]] std::unique_ptr<way> threads_way();
[[nodiscard]] std::unique_ptr<way> callbacks_way();  ///< on the notification thread
[[nodiscard]] std::unique_ptr<way> awaiter_way();    ///< coroutines by on(post), on the thread that calls
[[nodiscard]] std::unique_ptr<way> asio_way();  ///< coroutines of Asio, on the thread that calls; null: it is not there

}  // namespace bench
