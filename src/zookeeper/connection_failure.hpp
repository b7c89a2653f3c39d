#pragma once

#include <string>
#include <string_view>

#include "src/threads/thread_safety.hpp"

namespace zklock::client {

/// What an attempt to connect has met, if the line says so: "127.0.0.1:2181: Connection refused". Empty: it does not.
[[nodiscard]] std::string connection_failure_of(std::string_view line);

/// What the attempts to connect of one session's handles have met last. Any thread.
class connection_failure {
 public:
  /// A line of the C client's, which may say nothing of it.
  void note(std::string_view line) ZKLOCK_EXCLUDES(mutex_);
  /// A server was reached.
  void forget() ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] std::string text() const ZKLOCK_EXCLUDES(mutex_);
  /// The server that has closed the last attempt, "127.0.0.1:2181". Empty: none has.
  [[nodiscard]] std::string closed_by() const ZKLOCK_EXCLUDES(mutex_);

 private:
  mutable annotated_mutex mutex_;
  std::string text_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::client
