#include "src/runtime/log_sink_slot.hpp"

#include <utility>

namespace zklock::log {
namespace {

thread_local int sinks_on_this_thread = 0;

}  // namespace

void sink_slot::set(log_sink sink) {
  std::shared_ptr<entry> next = sink ? std::make_shared<entry>(entry{std::move(sink)}) : nullptr;
  const scoped_lock_on lock(mutex_);
  next.swap(current_);  // what was there is destroyed after the lock is given up
  while (next && next->running > 0 && sinks_on_this_thread == 0) {
    ended_.wait(mutex_);
  }
}

bool sink_slot::write(const log_line& line) {
  std::shared_ptr<entry> to;
  {
    const scoped_lock_on lock(mutex_);
    if (!current_) {
      return false;
    }
    to = current_;
    ++to->running;
  }
  ++sinks_on_this_thread;
  try {
    to->sink(line);
  } catch (...) {  // a log that cannot be written fails no caller
  }
  --sinks_on_this_thread;
  const scoped_lock_on lock(mutex_);
  --to->running;
  ended_.notify_all();
  return true;
}

}  // namespace zklock::log
