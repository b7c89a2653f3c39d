#include "src/threads/task_thread.hpp"

#include <exception>
#include <utility>

#include "src/threads/stay_loaded.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {

namespace {

class function_task final : public task_thread::task {
 public:
  function_task(std::function<void()> what, std::string name) : what_(std::move(what)), name_(std::move(name)) {}
  void run() override { what_(); }
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  const std::function<void()> what_;
  const std::string name_;
};

}  // namespace

task_thread::task_thread(void (*threw)(const char* what))
    : inbox_(std::make_shared<inbox>()), threw_(threw), thread_(work, inbox_, threw) {}

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

void task_thread::post(std::function<void()> what, std::string name) {
  auto one = std::make_shared<function_task>(std::move(what), std::move(name));
  const scoped_lock_on lock(inbox_->mutex);
  if (!inbox_->stopped) {
    inbox_->push(std::move(one));
  }
}

void task_thread::post_always(std::shared_ptr<task> one) noexcept {
  {
    const scoped_lock_on lock(inbox_->mutex);
    inbox_->push(std::move(one));
    if (!inbox_->ended || std::exchange(inbox_->another, true)) {
      return;
    }
  }
  try {
    stay_loaded();
    std::thread(work, inbox_, threw_).detach();
  } catch (const std::exception&) {
    work(inbox_, threw_);
  }
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
    } else if (inbox_->first != nullptr && !inbox_->ended) {
      running = inbox_->first->name();
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

void task_thread::inbox::push(std::shared_ptr<task> one) {
  task* const added = one.get();
  (first == nullptr ? first : last->next_) = std::move(one);
  last = added;
  changed.notify_all();
}

/// Whether there is nothing to be done any more, for this thread.
bool task_thread::inbox::ends() {
  if (first != nullptr || !stopped) {
    return false;
  }
  ended = true;
  another = false;
  changed.notify_all();
  return true;
}

std::shared_ptr<task_thread::task> task_thread::inbox::take() {
  const scoped_lock_on lock(mutex);
  runs = false;
  while (first == nullptr) {
    if (ends()) {
      return nullptr;
    }
    changed.wait(mutex);
  }
  runs = true;
  std::shared_ptr<task> one = std::move(first);
  first = std::move(one->next_);
  try {
    running = one->name();
  } catch (const std::exception&) {
    running.clear();  // no memory
  }
  return one;
}

void task_thread::work(const std::shared_ptr<inbox>& in, void (*threw)(const char* what)) {
  const user_code_scope inside;  // a task, and what is destroyed with it, may be user code
  while (const std::shared_ptr<task> one = in->take()) {
    try {
      one->run();
    } catch (const std::exception& failure) {
      threw(failure.what());
    } catch (...) {
      threw("something");
    }
  }
}

}  // namespace zklock::detail
