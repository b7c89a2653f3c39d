#include "src/threads/fork_guard.hpp"

#include <pthread.h>

namespace zklock::detail {

std::atomic<unsigned> forks_counted{0};

namespace {

void count_fork() { forks_counted.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

unsigned fork_generation() noexcept {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, count_fork);
  return forks_counted.load(std::memory_order_relaxed);
}

}  // namespace zklock::detail
