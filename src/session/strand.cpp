#include "src/session/strand.hpp"

namespace zklock::detail {

void strand::drain() {
  for (;;) {
    settle_();
    std::vector<std::unique_ptr<queued>> batch;
    {
      const scoped_lock_on lock(mutex_);
      if (queue_.empty()) {
        busy_ = false;
        return;
      }
      batch.swap(queue_);
    }
    for (const auto& task : batch) {
      task->run();
    }
  }
}

}  // namespace zklock::detail
