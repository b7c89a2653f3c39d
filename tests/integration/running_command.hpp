#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/loopback.hpp"

namespace zklock::test {

/// A program that a test has started, with what it says kept apart. Killed with the object.
class running_command {
 public:
  struct surroundings {
    std::vector<std::string> environment;  ///< "NAME=value" in place of ours, "NAME" to take it away
    std::string input;                     ///< what it finds on its stdin
    bool with_terminal = false;            ///< stdin is its controlling terminal; see type()
    std::vector<int> ignored_signals;
    int errors = -1;  ///< in place of its own: what it says there is not kept
  };

  explicit running_command(const std::vector<std::string>& command) : running_command(command, surroundings{}) {}
  running_command(const std::vector<std::string>& command, const surroundings& around);
  ~running_command();
  running_command(const running_command&) = delete;
  running_command& operator=(const running_command&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void send(int signal_number) const;
  /// At its terminal.
  void type(const std::string& keys) const;

  /// Waits for its end, patiently. As the shell has it: 128+n after signal n; -1 when it does not end.
  [[nodiscard]] int status();
  [[nodiscard]] bool has_ended() { return ended().has_value(); }
  /// What it has written so far.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] std::string errors() const;

 private:
  std::optional<int> ended();

  pid_t pid_ = -1;
  std::optional<int> status_;
  test_support::descriptor terminal_;
  test_support::descriptor output_;
  test_support::descriptor errors_;
};

}  // namespace zklock::test
