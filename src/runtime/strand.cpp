#include "src/runtime/strand.hpp"

#include <limits>

namespace zklock::detail {

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
