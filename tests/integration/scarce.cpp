#include "tests/integration/scarce.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace zklock::test {
namespace {

thread_local std::function<void()>* due = nullptr;
std::atomic<std::thread::id> refused_thread;
std::atomic<std::uint64_t> allocations = 0;
std::atomic<std::int64_t> bytes = 0;

void* counted(void* memory) {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  bytes.fetch_add(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  return memory;
}

void free_counted(void* memory) noexcept {
  bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  std::free(memory);
}

template <class Function>
Function* next_one(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

bool scarcity::gives(std::atomic<int>& left) {
  int seen = left;
  while (seen > 0 && !left.compare_exchange_weak(seen, seen - 1)) {}
  refused_ += seen == 0 ? 1 : 0;
  return seen != 0;
}

std::uint64_t allocation_count() { return allocations; }

std::int64_t allocated_bytes() { return bytes; }

void at_next_allocation(std::function<void()> what) { due = new std::function<void()>(std::move(what)); }

void refuse_next_allocation_of(std::thread::id thread) { refused_thread = thread; }

}  // namespace zklock::test

using zklock::test::allocations;
using zklock::test::due;
using zklock::test::refused_thread;
using zklock::test::scarcity;

int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*work)(void*), void* with) noexcept {
  static const auto real = zklock::test::next_one(&pthread_create, "pthread_create");
  return scarcity::gives_thread() ? real(made, how, work, with) : EAGAIN;
}

int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = zklock::test::next_one(&getaddrinfo, "getaddrinfo");
  return scarcity::gives_name() ? real(name, service, hints, found) : EAI_NONAME;
}

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (std::thread::id mine = std::this_thread::get_id();
      refused_thread.load(std::memory_order_relaxed) == mine && refused_thread.compare_exchange_strong(mine, {})) {
    throw std::bad_alloc();
  }
  if (const std::unique_ptr<std::function<void()>> what{std::exchange(due, nullptr)}) {
    (*what)();
  }
  return zklock::test::counted(std::malloc(size == 0 ? 1 : size));
}

void operator delete(void* memory) noexcept { zklock::test::free_counted(memory); }

void operator delete(void* memory, std::size_t) noexcept { zklock::test::free_counted(memory); }
