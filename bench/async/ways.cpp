#include <zklock/async.hpp>

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <functional>
#include <latch>
#include <mutex>
#include <utility>

#include "bench/async/way.hpp"
#include "bench/common/crew.hpp"

namespace bench {
namespace {

// ---- a thread each

class threads final : public way {
 public:
  [[nodiscard]] const char* name() const override { return "threads"; }
  void cycle(cycling& what) override {
    crew workers(what.workers, [&what](int number) {
      while (!what.over()) {
        const zklock::grant mine = what.lock_of(number).acquire();
        ++what.cycles;
      }
    });
    workers.start();
    workers.wait_done();
  }
  [[nodiscard]] std::unique_ptr<waiting> wait(zklock::recursive_mutex& lock, int count) override {
    return std::make_unique<crowd>(lock, count);
  }

 private:
  class crowd final : public waiting {
   public:
    crowd(zklock::recursive_mutex& lock, int count)
        : all_(count, [&lock](int) { const zklock::grant mine = lock.acquire(); }) {
      all_.start();
    }
    void wait_done() override { all_.wait_done(); }

   private:
    crew all_;
  };
};

// ---- handlers

/// Asks again within its own handler.
class asker {
 public:
  asker(cycling& what, int number, std::latch& done) : what_(what), number_(number), done_(done) {}
  void ask() {
    if (what_.over()) {
      done_.count_down();
      return;
    }
    start_acquire(what_.lock_of(number_), {}, [this](std::error_code ec, zklock::grant mine) {
      if (ec) std::terminate();
      ++what_.cycles;
      mine = {};
      ask();
    });
  }

 private:
  cycling& what_;
  const int number_;
  std::latch& done_;
};

class callbacks final : public way {
 public:
  [[nodiscard]] const char* name() const override { return "callbacks"; }
  void cycle(cycling& what) override {
    std::latch done(what.workers);
    std::vector<asker> all;
    all.reserve(static_cast<std::size_t>(what.workers));
    for (int number = 0; number < what.workers; ++number) {
      all.emplace_back(what, number, done).ask();
    }
    done.wait();
  }
  [[nodiscard]] std::unique_ptr<waiting> wait(zklock::recursive_mutex& lock, int count) override {
    return std::make_unique<crowd>(lock, count);
  }

 private:
  class crowd final : public waiting {
   public:
    crowd(zklock::recursive_mutex& lock, int count) : done_(count) {
      for (int i = 0; i < count; ++i) {
        start_acquire(lock, {}, [this](std::error_code, const zklock::grant&) { done_.count_down(); });
      }
    }
    void wait_done() override { done_.wait(); }

   private:
    std::latch done_;
  };
};

// ---- coroutines, and an event loop of the simplest kind

class event_loop {
 public:
  [[nodiscard]] auto post() {
    return [this](std::function<void()> what) {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(what));
      if (tasks_.size() == 1) changed_.notify_one();
    };
  }
  /// Runs what comes until `left` is 0.
  void run(const int& left) {
    std::vector<std::function<void()>> now;
    while (left > 0) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !tasks_.empty(); });
        now.swap(tasks_);
      }
      for (const std::function<void()>& each : now) {
        each();
      }
      now.clear();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> tasks_;
};

/// A coroutine that nobody waits for.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

detached cycle_one(event_loop& loop, cycling& what, int number, int& left) {
  while (!what.over()) {
    const zklock::grant mine = co_await zklock::on(loop.post()).acquire(what.lock_of(number));
    ++what.cycles;
  }
  --left;
}
detached wait_once(event_loop& loop, zklock::recursive_mutex& lock, int& left) {
  const zklock::grant mine = co_await zklock::on(loop.post()).acquire(lock);
  --left;
}

class awaiter final : public way {
 public:
  [[nodiscard]] const char* name() const override { return "awaiter"; }
  void cycle(cycling& what) override {
    event_loop loop;
    int left = what.workers;
    for (int number = 0; number < what.workers; ++number) {
      cycle_one(loop, what, number, left);
    }
    loop.run(left);
  }
  [[nodiscard]] std::unique_ptr<waiting> wait(zklock::recursive_mutex& lock, int count) override {
    return std::make_unique<crowd>(lock, count);
  }

 private:
  class crowd final : public waiting {
   public:
    crowd(zklock::recursive_mutex& lock, int count) : left_(count) {
      for (int i = 0; i < count; ++i) {
        wait_once(loop_, lock, left_);
      }
    }
    void wait_done() override { loop_.run(left_); }

   private:
    event_loop loop_;
    int left_;
  };
};

}  // namespace

std::unique_ptr<way> threads_way() { return std::make_unique<threads>(); }
std::unique_ptr<way> callbacks_way() { return std::make_unique<callbacks>(); }
std::unique_ptr<way> awaiter_way() { return std::make_unique<awaiter>(); }

}  // namespace bench
