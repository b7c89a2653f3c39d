#pragma once

#include <cstddef>
#include <memory>

#include "src/zookeeper/connection_failure.hpp"

namespace zklock::client {

/// The C client's lines about the handles of one session. Its log callback has no context, so each session has a callback of
/// its own; sessions beyond the first few hundred at a time share one, and are told of no failure. Any thread.
class session_lines {
 public:
  using callback = void (*)(const char* line);

  /// `failures_told_elsewhere`: see connection_failure.
  explicit session_lines(bool failures_told_elsewhere = false);
  session_lines(const session_lines&) = delete;
  session_lines& operator=(const session_lines&) = delete;
  ~session_lines();

  /// For the handles. It logs each line, and notes in failure() what an attempt to connect has met: the first of each outage
  /// and server is a warning. May be called after this is gone.
  [[nodiscard]] callback to() const noexcept;
  [[nodiscard]] const std::shared_ptr<connection_failure>& failure() const noexcept { return failure_; }

 private:
  const std::shared_ptr<connection_failure> failure_;
  const std::size_t place_;
};

}  // namespace zklock::client
