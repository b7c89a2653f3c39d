#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/loopback.hpp"

namespace zklock::soak {

/// A worker's process, from the side of the director. One thread, the one that outlives it: the worker dies with it.
class worker_process {
 public:
  /// Throws std::system_error.
  worker_process(const std::string& program, const std::vector<std::string>& arguments);
  worker_process(const worker_process&) = delete;
  worker_process& operator=(const worker_process&) = delete;
  ~worker_process();  ///< kills it

  /// work, rest or quit: see worker.cpp.
  void say(const std::string& order) const;
  void stop() const;
  void cont() const;
  /// SIGKILL; returns when it is gone.
  void kill();
  /// How it has ended, if it has, in words.
  [[nodiscard]] std::optional<std::string> ended();
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  pid_t pid_ = 0;  ///< 0: gone, and waited for
  test_support::descriptor orders_;
};

}  // namespace zklock::soak
