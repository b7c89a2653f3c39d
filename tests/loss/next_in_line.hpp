#pragma once

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace zklock::test {

/// Waits for a lock in a session of its own, says when it was let in, and goes on holding until it is told to release.
class next_in_line {
 public:
  next_in_line(const std::string& servers, std::chrono::milliseconds timeout, const std::string& path);
  next_in_line(const next_in_line&) = delete;
  next_in_line& operator=(const next_in_line&) = delete;
  ~next_in_line();

  [[nodiscard]] std::optional<boot_clock::time_point> granted() const;
  /// Of the grant; 0 before.
  [[nodiscard]] fencing_token token() const { return {token_}; }
  void release();

 private:
  void wait_and_hold(const std::stop_token& stop);

  session session_;
  recursive_mutex lock_;
  std::atomic<boot_clock::rep> granted_at_ = 0;
  std::atomic<std::int64_t> token_ = 0;
  std::jthread waiting_;
};

}  // namespace zklock::test
