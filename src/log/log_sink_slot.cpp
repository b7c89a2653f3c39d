#include "src/log/log_sink_slot.hpp"

#include <utility>

#include "src/threads/user_code.hpp"

namespace zklock::log {
namespace {

thread_local int sinks_on_this_thread = 0;

}  // namespace

bool sink_slot::set(log_sink sink, std::chrono::nanoseconds limit) {
  const auto until = detail::user_code_deadline(limit);
  std::shared_ptr<entry> next = sink ? std::make_shared<entry>(entry{std::move(sink)}) : nullptr;
  const scoped_lock_on lock(mutex_);
  next.swap(current_);  // what was there is destroyed after the lock is given up
  while (next && next->running > 0 && ended_.wait_until(mutex_, until) != std::cv_status::timeout) {}
  if (next && next->running > 0) {
    next.reset();  // with the lock held, and not the last one: end_write() counts
    return false;
  }
  return true;
}

bool sink_slot::write(const log_line& line) {
  if (sinks_on_this_thread > 0) {
    return true;
  }
  std::shared_ptr<entry> to = begin_write();
  if (!to) {
    return false;
  }
  const detail::user_code_scope inside;
  ++sinks_on_this_thread;
  try {
    to->sink(line);
  } catch (...) {  // a log that cannot be written fails no caller
  }
  end_write(std::move(to));
  --sinks_on_this_thread;
  return true;
}

std::shared_ptr<sink_slot::entry> sink_slot::begin_write() {
  const scoped_lock_on lock(mutex_);
  if (current_) {
    ++current_->running;
  }
  return current_;
}

/// The thread that waits in set() destroys the sink; this one only if that thread waits no more.
void sink_slot::end_write(std::shared_ptr<entry> used) {
  std::shared_ptr<entry> last;  // destroyed after the lock is given up
  const scoped_lock_on lock(mutex_);
  --used->running;
  if (used.use_count() == 1) {
    last.swap(used);
  } else {
    used.reset();
  }
  ended_.notify_all();
}

}  // namespace zklock::log
