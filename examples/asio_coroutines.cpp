// Locks in an Asio program: one thread, as many waits as there are coroutines. With standalone Asio.
//
//     asio_coroutines SERVERS       e.g. 127.0.0.1:2181/example
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <zklock/asio.hpp>
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

struct tally {
  int inside = 0, served = 0;
};

//! [serve]
// Not in time is no error; an error is thrown as an asio::system_error. The words of the library are kept in `why`.
asio::awaitable<void> serve(zklock::recursive_mutex& orders, tally& counted) {
  std::optional<zklock::error> why;
  try {
    zklock::grant held = co_await zklock::async_acquire(orders, {.within = 60s, .failed = &why}, asio::use_awaitable);
    if (!held) co_return;
    const bool alone = ++counted.inside == 1;
    co_await asio::steady_timer(co_await asio::this_coro::executor, 1ms).async_wait(asio::use_awaitable);  // work
    --counted.inside;
    counted.served += alone && held.held() ? 1 : 0;
    co_await zklock::async_release(std::move(held), asio::use_awaitable);  // or let it leave its scope
  } catch (const asio::system_error& failure) {
    std::cerr << (why ? why->what() : failure.what()) << '\n';
  }
}
//! [serve]

//! [lost]
// Ends when the grant is given back as well, so that the context may end.
asio::awaitable<void> warn_of_loss(const zklock::grant& held) {
  const zklock::loss_reason why = co_await zklock::async_lost(held, asio::use_awaitable);
  if (why != zklock::loss_reason::none) std::cerr << "lost: " << to_string(why) << '\n';
}
//! [lost]

//! [with_lock]
// Work that is cancelled when the lock is lost, or when this coroutine is. The lock goes back when the work has ended.
asio::awaitable<int> rebuild(zklock::recursive_mutex& orders) {
  const auto work = [](const zklock::grant& held) -> asio::awaitable<int> {
    asio::steady_timer step(co_await asio::this_coro::executor);
    for (int done = 1;; ++done) {
      step.expires_after(1ms);
      co_await step.async_wait(asio::use_awaitable);  // a loss: throws operation_aborted
      if (done == 10) co_return held.held() ? done : 0;
    }
  };
  const std::optional<int> steps = co_await zklock::try_with_lock_for(orders, 60s, work);  // a loss: throws errc::lost
  co_return steps.value_or(0);                                                             // nothing: not in time
}
//! [with_lock]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: asio_coroutines SERVERS\n";
    return 64;
  }
  constexpr int many = 100;
  asio::io_context io;
  zklock::session session(arguments[1]);
  zklock::recursive_mutex orders(session, "/locks/asio");
  tally counted;
  for (int i = 0; i < many; ++i) {
    asio::co_spawn(io, serve(orders, counted), asio::detached);
  }
  io.run();
  zklock::grant held = orders.acquire();
  asio::co_spawn(io, warn_of_loss(held), asio::detached);
  asio::post(io, [&held] { held.release(); });
  io.restart();
  io.run();
  int steps = 0;
  asio::co_spawn(io, rebuild(orders),
                 [&steps](const std::exception_ptr& failed, int done) { steps = failed ? 0 : done; });
  io.restart();
  io.run();
  std::cout << counted.served << " served, one at a time, by one thread; rebuilt in " << steps << " steps\n";
  return counted.served == many && steps == 10 ? 0 : 1;
}
