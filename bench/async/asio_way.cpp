#include "bench/async/way.hpp"

#if defined(ZKLOCK_STANDALONE_ASIO)
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <exception>
#include <zklock/asio.hpp>

namespace bench {
namespace {

void rethrow(const std::exception_ptr& failure) {
  if (failure) std::rethrow_exception(failure);
}

asio::awaitable<void> cycle_one(cycling& what, int number) {
  while (!what.over()) {
    const zklock::grant mine = co_await zklock::async_acquire(what.lock_of(number), asio::use_awaitable);
    ++what.cycles;
  }
}
asio::awaitable<void> wait_once(zklock::recursive_mutex& lock) {
  const zklock::grant mine = co_await zklock::async_acquire(lock, asio::use_awaitable);
}

class coroutines final : public way {
 public:
  [[nodiscard]] const char* name() const override { return "asio"; }
  void cycle(cycling& what) override {
    asio::io_context io(1);
    for (int number = 0; number < what.workers; ++number) {
      asio::co_spawn(io, cycle_one(what, number), rethrow);
    }
    io.run();
  }
  [[nodiscard]] std::unique_ptr<waiting> wait(zklock::recursive_mutex& lock, int count) override {
    return std::make_unique<crowd>(lock, count);
  }

 private:
  class crowd final : public waiting {
   public:
    crowd(zklock::recursive_mutex& lock, int count) {
      for (int i = 0; i < count; ++i) {
        asio::co_spawn(io_, wait_once(lock), rethrow);
      }
      io_.poll();  // all wait
    }
    void wait_done() override { io_.run(); }

   private:
    asio::io_context io_{1};
  };
};

}  // namespace

std::unique_ptr<way> asio_way() { return std::make_unique<coroutines>(); }

}  // namespace bench
#else
namespace bench {
std::unique_ptr<way> asio_way() { return nullptr; }
}  // namespace bench
#endif
