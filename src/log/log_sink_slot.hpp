#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include <zklock/log.hpp>

#include "src/threads/thread_safety.hpp"

namespace zklock::log {

/// The sink that the program has set. One that has been replaced is not called again. The thread that has replaced it
/// destroys it; if it still runs then, the last thread to leave it does.
class sink_slot {
 public:
  /// Waits until the sink before has returned everywhere, as user_code_deadline() says; false: it still runs. Empty: none.
  bool set(log_sink sink, std::chrono::nanoseconds limit) ZKLOCK_EXCLUDES(mutex_);
  /// False: there is no sink. What a sink throws is dropped, and so is a line from within a sink.
  bool write(const log_line& line) ZKLOCK_EXCLUDES(mutex_);

 private:
  struct entry {
    log_sink sink;
    std::size_t running = 0;  ///< guarded by mutex_
  };
  std::shared_ptr<entry> begin_write() ZKLOCK_EXCLUDES(mutex_);
  void end_write(std::shared_ptr<entry> used) ZKLOCK_EXCLUDES(mutex_);

  annotated_mutex mutex_;
  annotated_condition ended_;
  std::shared_ptr<entry> current_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::log
