// Many wait for a lock, and no thread does: coroutines, and a handler, on one thread.
//
//     coroutines SERVERS [COROUTINES]       e.g. 127.0.0.1:2181/example 1000
#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <iostream>
#include <mutex>
#include <utility>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [loop]
// Stands for your event loop: a thread, and a queue of functions for it.
class event_loop {
 public:
  void post(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(what));
    more_.notify_one();
  }
  void run_until(const bool& done) {
    while (!done) {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return !tasks_.empty(); });
      const std::function<void()> next = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      next();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
};

// How zklock hands something to it.
auto at(event_loop& loop) {
  return zklock::on([&loop](auto what) { loop.post(std::move(what)); });
}
//! [loop]

// The least that a coroutine needs; your library has a better one.
struct task {
  struct promise_type {
    task get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

struct tally {
  int waiting = 0, inside = 0, served = 0, late = 0;
  bool done = false;
};

//! [coroutine]
// Waits without a thread, and goes on where the loop runs. A grant that leaves its scope gives back without waiting.
task serve(event_loop& loop, zklock::recursive_mutex& orders, tally& counted) {
  try {
    zklock::grant held = co_await at(loop).acquire(orders, {.within = 60s});
    counted.late += held ? 0 : 1;  // not in time
    if (held) {
      counted.inside = counted.inside + 1;  // no other process is here; nor is another coroutine
      counted.served += counted.inside == 1 ? 1 : 0;
      counted.inside = counted.inside - 1;
      co_await at(loop).release(std::move(held));  // throws if it was lost; other coroutines run meanwhile
    }
  } catch (const zklock::error& failure) {
    std::cerr << failure.what() << '\n';
  }
  counted.done = --counted.waiting == 0;
}
//! [coroutine]

//! [handler]
// The same without a coroutine. By default a handler runs on the session's notification thread, so it has to be short.
void try_once(event_loop& loop, zklock::recursive_mutex& orders, bool& done) {
  zklock::start_acquire(orders, {.within = 0s}, at(loop), [&done](std::error_code ec, zklock::grant held) {
    std::cout << (ec ? ec.message() : held ? "free" : "held by another") << '\n';
    done = true;
  });
}
//! [handler]

int main(int count, char** arguments) {
  if (count < 2 || count > 3) {
    std::cerr << "usage: coroutines SERVERS [COROUTINES]\n";
    return 64;
  }
  const int many = count == 3 ? std::atoi(arguments[2]) : 100;
  event_loop loop;
  zklock::session session(arguments[1]);
  zklock::recursive_mutex orders(session, "/locks/coroutines");
  tally counted{.waiting = many};
  for (int i = 0; i < many; ++i) {
    serve(loop, orders, counted);
  }
  loop.run_until(counted.done);
  bool done = false;
  try_once(loop, orders, done);
  loop.run_until(done);
  std::cout << counted.served << " served, " << counted.late << " too late\n";
  return counted.served == many ? 0 : 1;
}
