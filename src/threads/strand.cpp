#include "src/threads/strand.hpp"

#include <limits>
#include <utility>

namespace zklock::detail {

bool strand::enter() {
  const scoped_lock_on lock(mutex_);
  return !std::exchange(busy_, true);
}

bool strand::enter_or_queue(std::unique_ptr<queued>& task) {
  const scoped_lock_on lock(mutex_);
  if (std::exchange(busy_, true)) {
    queue_.push_back(std::move(task));
    return false;
  }
  return true;
}

void strand::drain(std::size_t limit) {
  for (;;) {
    behind_tasks_();
    {
      const scoped_lock_on lock(mutex_);
      if (next_ == batch_.size()) {
        batch_.clear();  // its memory serves the next one
        next_ = 0;
        batch_.swap(queue_);
      }
      if (batch_.empty()) {
        busy_ = false;
        return;
      }
      if (limit == 0 && call_for_help_()) {
        left_ = true;
        return;
      }
    }
    for (limit = limit == 0 ? batch_.size() : limit; next_ < batch_.size() && limit > 0; --limit) {
      const std::unique_ptr<queued> task = std::move(batch_[next_++]);
      task->run();
    }
  }
}

void strand::take_over() noexcept {
  {
    const scoped_lock_on lock(mutex_);
    if (!left_) {
      return;
    }
    left_ = false;
  }
  drain(std::numeric_limits<std::size_t>::max());
}

}  // namespace zklock::detail
