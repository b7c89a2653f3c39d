#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "recipes/local_deadline.hpp"
#include "src/threads/timer.hpp"

namespace zklock::detail {

/// A thread that runs a task at each alarm.
class time_thread {
 public:
  explicit time_thread(std::function<void()> task) : task_(std::move(task)) {}
  time_thread(const time_thread&) = delete;
  time_thread& operator=(const time_thread&) = delete;
  ~time_thread() { stop(); }

  /// Throws std::system_error.
  void start();
  [[nodiscard]] bool running() const noexcept { return running_.load(); }
  /// At most one more task begins. False if that was so before.
  bool end() noexcept { return running_.exchange(false); }
  /// Ends it, and returns when the thread has ended.
  void stop() noexcept;

  /// At once. Any thread.
  void ring() noexcept { timer_.ring(); }
  /// False: there is no thread (yet, any more).
  [[nodiscard]] bool ring_if_running() noexcept { return running_ && (ring(), true); }
  /// By then at the latest. An alarm that comes too early does no harm, so it is only ever moved forward.
  void set(recipes::instant when) noexcept;
  /// What was set has come, or does not matter any more. As set(): one thread at a time.
  void clear() noexcept { set_to_ = recipes::instant::max(); }

 private:
  void work();

  const std::function<void()> task_;
  timer timer_;
  recipes::instant set_to_ = recipes::instant::max();
  std::atomic<bool> running_{false};
  std::thread thread_;
};

}  // namespace zklock::detail
