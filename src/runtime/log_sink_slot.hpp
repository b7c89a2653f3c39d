#pragma once

#include <cstddef>
#include <memory>

#include <zklock/log.hpp>

#include "src/runtime/thread_safety.hpp"

namespace zklock::log {

/// The sink that the program has set. A sink that has been replaced is neither running nor run again, and is destroyed by
/// the thread that has replaced it; if it replaces itself, it is running for as long as that call lasts.
class sink_slot {
 public:
  /// Waits until the sink before has returned everywhere, unless this thread is in a sink. Empty: none.
  void set(log_sink sink) ZKLOCK_EXCLUDES(mutex_);
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
