// What <zklock/asio.hpp> may not do: each is planted in turn in a copy of the header, and has to be found here.
#include <gtest/gtest.h>

#include <zklock/asio.hpp>

#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class planted : public on_a_fake {
 protected:
  recursive_mutex lock_{one_, "/lock"};
};

TEST_F(planted, a_context_that_goes_takes_its_handlers_along) {
  const auto token = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = token;
  const grant held = lock_.acquire();
  {
    net::io_context io;
    async_acquire(lock_, net::bind_executor(io, [kept = token](net_error_code, const grant&) { FAIL(); }));
    EXPECT_TRUE(queue_is(2));
  }
  EXPECT_EQ(token.use_count(), 1) << "an answer would be posted to a context that is gone";
  EXPECT_TRUE(queue_is(1));
}

TEST_F(planted, a_context_runs_until_its_handlers_were_called) {
  net::io_context io;
  grant held = lock_.acquire();
  bool told = false;
  async_acquire(lock_, net::bind_executor(io, [&told](net_error_code, const grant&) { told = true; }));
  EXPECT_TRUE(queue_is(2));
  auto released = in_a_thread([&] { held.release(); });
  io.run();
  EXPECT_TRUE(told);
  released.get();
}

/// Behind a cancellation it takes its time.
net::awaitable<void> work_on(std::atomic<bool>& begun, std::atomic<bool>& enough) {
  net::steady_timer never(co_await net::this_coro::executor, std::chrono::hours(24));
  begun = true;
  net_error_code cancelled;
  co_await never.async_wait(net::redirect_error(net::use_awaitable, cancelled));
  EXPECT_TRUE(cancelled);
  EXPECT_TRUE(eventually([&] { return enough.load(); }));
}

TEST_F(planted, a_scope_gives_back_when_its_child_has_ended) {
  std::atomic<bool> begun = false, enough = false, ended = false;
  net::io_context io;
  net::cancellation_signal cancel;
  const auto work = [&](const grant&) -> net::awaitable<void> { co_await work_on(begun, enough); };
  const lock_view lock = lock_;
  net::co_spawn(io, with_lock(lock, work),
                net::bind_cancellation_slot(cancel.slot(), [&](const std::exception_ptr&) { ended = true; }));
  auto runs = in_a_thread([&] { io.run(); });
  EXPECT_TRUE(eventually([&] { return begun.load(); }));
  net::post(io, [&] { cancel.emit(net::cancellation_type::terminal); });
  EXPECT_FALSE(eventually([&] { return queue().empty(); }, 10 * briefly)) << "the child works on";
  enough = true;
  runs.get();
  EXPECT_TRUE(ended);
}

TEST_F(planted, a_scope_whose_child_throws_is_over_when_the_lock_is_given_back) {
  net::io_context io;
  bool told = false;
  const auto work = [&](const grant&) -> net::awaitable<void> {
    throw std::runtime_error("planned");
    co_return;
  };
  const lock_view lock = lock_;
  net::co_spawn(io, with_lock(lock, work), [&](const std::exception_ptr& why) {
    told = why != nullptr;
    EXPECT_TRUE(queue().empty()) << "given back before";
  });
  io.run();
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace zklock::test
