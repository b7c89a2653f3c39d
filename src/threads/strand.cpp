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
  std::size_t done = 0;
  for (;;) {
    settle_();
    {
      const scoped_lock_on lock(mutex_);
      if (queue_.empty()) {
        busy_ = false;
        return;
      }
      if (done >= limit && call_for_help_()) {
        left_ = true;
        return;
      }
      batch_.swap(queue_);
    }
    for (const auto& task : batch_) {
      task->run();
    }
    done += batch_.size();
    batch_.clear();  // its memory serves the next one
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
