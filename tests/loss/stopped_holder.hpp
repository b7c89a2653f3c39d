#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "tests/loss/observed_hold.hpp"
#include "tests/support/loopback.hpp"

namespace zklock::test {

/// A holder in a process of its own, which can be stopped and continued.
class stopped_holder {
 public:
  /// Returns when it holds; throws std::runtime_error when it does not within half a minute.
  stopped_holder(const std::string& servers, std::chrono::milliseconds timeout, const std::string& path);
  stopped_holder(const stopped_holder&) = delete;
  stopped_holder& operator=(const stopped_holder&) = delete;
  ~stopped_holder();  ///< kills it

  [[nodiscard]] const std::string& node() const { return node_; }
  [[nodiscard]] fencing_token token() const { return token_; }
  [[nodiscard]] std::chrono::nanoseconds margin() const { return margin_; }  ///< of its session
  void stop();
  void cont();
  /// What it has seen, once it has learnt of its loss.
  [[nodiscard]] hold_record after_the_loss();

 private:
  std::string line();

  pid_t pid_ = 0;
  test_support::descriptor to_;
  test_support::descriptor from_;
  std::string node_;
  fencing_token token_;
  std::chrono::nanoseconds margin_{};
};

}  // namespace zklock::test
