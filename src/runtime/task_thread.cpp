#include "src/runtime/task_thread.hpp"

#include <exception>
#include <string>
#include <utility>

#include "src/runtime/log.hpp"

namespace zklock::detail {

task_thread::task_thread() : inbox_(std::make_shared<inbox>()), thread_(work, inbox_) {}

task_thread::~task_thread() { stop(); }

void task_thread::stop() noexcept {
  {
    const scoped_lock_on lock(inbox_->mutex);
    inbox_->stopped = true;
    inbox_->changed.notify_all();
  }
  if (!thread_.joinable()) {
    return;
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void task_thread::post(std::function<void()> task) {
  const scoped_lock_on lock(inbox_->mutex);
  if (inbox_->stopped) {
    return;
  }
  inbox_->tasks.push_back(std::move(task));
  inbox_->changed.notify_one();
}

void task_thread::work(const std::shared_ptr<inbox>& in) {
  for (;;) {
    std::function<void()> task;
    {
      const scoped_lock_on lock(in->mutex);
      while (in->tasks.empty()) {
        if (in->stopped) {
          return;
        }
        in->changed.wait(in->mutex);
      }
      task = std::move(in->tasks.front());
      in->tasks.pop_front();
    }
    try {
      task();
    } catch (const std::exception& failure) {
      log::write(log_level::error, std::string("a callback threw: ") + failure.what());
    } catch (...) {
      log::write(log_level::error, "a callback threw something");
    }
  }
}

}  // namespace zklock::detail
