#include "src/threads/time_thread.hpp"

namespace zklock::detail {

void time_thread::start() {
  thread_ = std::thread([this] { work(); });
  running_ = true;  // before the first alarm
}

void time_thread::stop() noexcept {
  end();
  timer_.ring();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void time_thread::set(recipes::instant when) noexcept {
  if (when < set_to_) {
    set_to_ = when;
    timer_.set(when);
  }
}

void time_thread::work() {
  for (;;) {
    timer_.wait();
    if (!running_) {
      return;
    }
    task_();
  }
}

}  // namespace zklock::detail
