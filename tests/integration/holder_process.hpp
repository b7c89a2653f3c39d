#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/loopback.hpp"

namespace zklock::test {

/// A process of its own that holds locks (holder.cpp). Killed with the object.
class holder_process {
 public:
  struct granted {
    std::int64_t token = 0;
    std::string node;  ///< as its session calls it
  };

  holder_process(const std::string& servers, std::chrono::milliseconds timeout);
  ~holder_process();
  holder_process(const holder_process&) = delete;
  holder_process& operator=(const holder_process&) = delete;

  /// Does not wait for the answer.
  void order(const std::string& what, const std::string& path = "-");
  /// To the oldest order that has not been answered. None when the process has ended, or does not answer in time.
  [[nodiscard]] std::optional<std::string> answer();
  /// The answer to "acquire"; throws std::runtime_error when it is no grant.
  [[nodiscard]] granted granted_answer();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Waits until it has stopped itself. False if it does not.
  [[nodiscard]] bool stops();
  void cont();
  /// Returns when it is gone.
  void kill();

 private:
  pid_t pid_ = -1;
  bool gone_ = false;
  test_support::descriptor talk_;
  std::string heard_;
};

}  // namespace zklock::test
