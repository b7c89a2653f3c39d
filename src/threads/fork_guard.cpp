#include "src/threads/fork_guard.hpp"

#include <pthread.h>

#include <atomic>

namespace zklock::detail {
namespace {

std::atomic<unsigned> generation{0};

void count_fork() { generation.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

unsigned fork_generation() noexcept {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, count_fork);
  return generation.load(std::memory_order_relaxed);
}

}  // namespace zklock::detail
