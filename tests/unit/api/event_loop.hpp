#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include "tests/support/eventually.hpp"

namespace zklock::test {

using test_support::eventually;

/// An event loop of the simplest kind.
class loop {
 public:
  auto post() {
    return [this](std::function<void()> what) {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(what));
    };
  }
  /// Runs what comes until `enough` says so.
  template <class Enough>
  bool run_until(Enough&& enough) {
    return eventually([&] {
      run_what_is_there();
      return enough();
    });
  }
  void run_what_is_there() {
    for (std::function<void()> next = take(); next; next = take()) {
      next();
    }
  }
  [[nodiscard]] std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }
  void drop_all() {
    const std::lock_guard lock(mutex_);
    tasks_.clear();
  }

 private:
  std::function<void()> take() {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) {
      return {};
    }
    std::function<void()> next = std::move(tasks_.front());
    tasks_.pop_front();
    return next;
  }
  mutable std::mutex mutex_;
  std::deque<std::function<void()>> tasks_;
};

/// A coroutine that nobody waits for.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

/// One that its test destroys.
struct owned {
  struct promise_type {
    owned get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

}  // namespace zklock::test
