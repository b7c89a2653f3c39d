#include "src/threads/task_thread.hpp"

#include <exception>
#include <utility>

#include "src/threads/stay_loaded.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {

task_thread::task_thread(void (*threw)(const char* what))
    : inbox_(std::make_shared<inbox>()), thread_(work, inbox_, threw) {}

task_thread::~task_thread() {
  {
    const scoped_lock_on lock(inbox_->mutex);
    inbox_->stopped = true;
    inbox_->changed.notify_all();
    if (inbox_->let_go) {
      return;
    }
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void task_thread::post(std::function<void()> task, std::string name) {
  const scoped_lock_on lock(inbox_->mutex);
  if (inbox_->stopped) {
    return;
  }
  inbox_->tasks.push_back({std::move(task), std::move(name)});
  inbox_->changed.notify_all();
}

std::optional<std::string> task_thread::end_by(std::chrono::steady_clock::time_point until) noexcept {
  std::optional<std::string> running;
  {
    const scoped_lock_on lock(inbox_->mutex);
    inbox_->stopped = true;
    inbox_->changed.notify_all();
    while (!inbox_->ended && inbox_->changed.wait_until(inbox_->mutex, until) != std::cv_status::timeout) {}
    if (inbox_->runs) {
      running = inbox_->running;
    } else if (!inbox_->tasks.empty()) {
      running = inbox_->tasks.front().name;
    }  // else it ends at once
    if (std::exchange(inbox_->let_go, true)) {
      return running;
    }
  }
  if (!running) {
    thread_.join();
  } else {
    stay_loaded();  // a plugin may be closed while the thread still runs its code
    thread_.detach();
  }
  return running;
}

void task_thread::work(const std::shared_ptr<inbox>& in, void (*threw)(const char* what)) {
  while (run_next(*in, threw)) {}
  const scoped_lock_on lock(in->mutex);
  in->ended = true;
  in->changed.notify_all();
}

bool task_thread::run_next(inbox& in, void (*threw)(const char* what)) {
  const user_code_scope inside;  // a task, and what is destroyed with it, may be user code
  std::function<void()> task;
  {
    const scoped_lock_on lock(in.mutex);
    in.runs = false;
    while (in.tasks.empty()) {
      if (in.stopped) {
        return false;
      }
      in.changed.wait(in.mutex);
    }
    in.runs = true;
    task = std::move(in.tasks.front().function);
    in.running = std::move(in.tasks.front().name);
    in.tasks.pop_front();
  }
  try {
    task();
  } catch (const std::exception& failure) {
    threw(failure.what());
  } catch (...) {
    threw("something");
  }
  return true;
}

}  // namespace zklock::detail
