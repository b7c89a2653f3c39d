#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/loopback.hpp"

namespace zklock::test {

/// A program that does what its stdin says, a line at a time, and answers each with a line. Killed with the object.
class talking_process {
 public:
  explicit talking_process(std::vector<std::string> command);
  ~talking_process();
  talking_process(const talking_process&) = delete;
  talking_process& operator=(const talking_process&) = delete;

  /// Does not wait for the answer.
  void order(const std::string& line);
  /// To the oldest order that has not been answered. None when the process has ended, or does not answer in time.
  [[nodiscard]] std::optional<std::string> answer(std::chrono::milliseconds limit = std::chrono::seconds(120));
  [[nodiscard]] std::optional<std::string> ask(const std::string& line) {
    order(line);
    return answer();
  }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Waits until it has stopped itself. False if it does not.
  [[nodiscard]] bool stops();
  void cont();
  /// Returns when it is gone.
  void kill();
  /// Has it come to its end by itself: its stdin has ended. False if it does not.
  [[nodiscard]] bool leave();
  /// The same, with what it exits with. None if a signal has ended it, or it does not end.
  [[nodiscard]] std::optional<int> exit_status();

 private:
  pid_t pid_ = -1;
  bool gone_ = false;  ///< and waited for
  int status_ = 0;     ///< of a process that has gone by itself
  test_support::descriptor talk_;
  std::string heard_;
};

}  // namespace zklock::test
