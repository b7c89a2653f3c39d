#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace zklock::test {

/// A thread that does what it is told, one thing after the other.
class actor {
 public:
  ~actor() {
    enqueue({});
    thread_.join();
  }

  template <class What>
  [[nodiscard]] auto begins(What what) -> std::future<std::invoke_result_t<What>> {
    auto task = std::make_shared<std::packaged_task<std::invoke_result_t<What>()>>(std::move(what));
    auto done = task->get_future();
    enqueue([task] { (*task)(); });
    return done;
  }
  /// Returns when it is done.
  template <class What>
  auto does(What what) {
    return begins(std::move(what)).get();
  }

 private:
  void enqueue(std::function<void()> what) {
    const std::lock_guard guard(mutex_);
    tasks_.push_back(std::move(what));
    changed_.notify_one();
  }
  void run() {
    while (true) {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [this] { return !tasks_.empty(); });
      const std::function<void()> next = std::move(tasks_.front());
      tasks_.pop_front();
      guard.unlock();
      if (!next) {
        return;
      }
      next();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  ///< an empty one is the end
  std::thread thread_{[this] { run(); }};
};

}  // namespace zklock::test
