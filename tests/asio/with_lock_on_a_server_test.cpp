// A scope that a loss ends, on a real server.
#include <gtest/gtest.h>

#include <zklock/asio.hpp>

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

/// How many of its steps were not in the strand that it began in.
struct steps {
  std::atomic<int> begun = 0, taken = 0, elsewhere = 0;
};

net::awaitable<void> work(const grant& held, steps& seen) {
  const net::any_io_executor here = co_await net::this_coro::executor;
  const auto* const strand = here.target<net::strand<net::any_io_executor>>();
  net::steady_timer step(here);
  ++seen.begun;
  while (held.held()) {
    step.expires_after(1ms);
    net_error_code ec;
    co_await step.async_wait(net::redirect_error(net::use_awaitable, ec));
    ++seen.taken;
    seen.elsewhere += strand != nullptr && strand->running_in_this_thread() ? 0 : 1;
    if (ec) {
      co_return;
    }
  }
}

class a_scope_of_asio : public on_a_server {};

TEST_F(a_scope_of_asio, f126_is_ended_in_its_own_strand_by_each_of_many_losses) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 4s});
  ASSERT_TRUE(one.wait_connected_for(patience));
  net::thread_pool pool(3);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<recursive_mutex>> locks;
    std::vector<std::future<void>> ends;
    steps seen;
    const auto child = [&seen](const grant& held) { return work(held, seen); };
    for (int i = 0; i < 20; ++i) {
      locks.push_back(std::make_unique<recursive_mutex>(one, "/locks/" + std::to_string(i)));
      ends.push_back(net::co_spawn(pool, with_lock(*locks.back(), child), net::use_future));
    }
    ASSERT_TRUE(eventually([&] { return seen.begun == 20; }));
    expire_behind(way);
    way.set_mode(proxy_mode::pass);
    for (std::future<void>& one_end : ends) {
      try {
        one_end.get();
        ADD_FAILURE() << "it was lost";
      } catch (const net_system_error& why) {
        EXPECT_EQ(why.code(), errc::lost);
      }
    }
    EXPECT_EQ(seen.elsewhere, 0);
    ASSERT_TRUE(one.wait_connected_for(patience));
  }
  pool.join();
}

}  // namespace
}  // namespace zklock::test
