#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/threads/thread_safety.hpp"

namespace zklock::client {

struct failed_attempt {
  std::string text;     ///< "127.0.0.1:2181: Connection refused". Empty: the line says nothing of an attempt to connect
  std::string subject;  ///< what is told once in an outage: the server, or all of the text if the server has said why
};

/// What an attempt to connect has met, if the line says so.
[[nodiscard]] failed_attempt connection_failure_of(std::string_view line);

/// What the attempts to connect of one session's handles have met last. Any thread.
class connection_failure {
 public:
  /// `told_elsewhere`: of handles that look whether a server is there, beside those of a session.
  explicit connection_failure(bool told_elsewhere = false) noexcept : told_elsewhere_(told_elsewhere) {}

  /// True: the first of its subject since a server was reached, to be told.
  bool note(const failed_attempt& met) ZKLOCK_EXCLUDES(mutex_);
  /// A server was reached.
  void forget() ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] std::string text() const ZKLOCK_EXCLUDES(mutex_);
  /// The server that has closed the last attempt, "127.0.0.1:2181". Empty: none has.
  [[nodiscard]] std::string closed_by() const ZKLOCK_EXCLUDES(mutex_);

 private:
  const bool told_elsewhere_;
  mutable annotated_mutex mutex_;
  std::string text_ ZKLOCK_GUARDED_BY(mutex_);
  std::vector<std::string> subjects_ ZKLOCK_GUARDED_BY(mutex_);  ///< of all failures since a server was reached
};

}  // namespace zklock::client
