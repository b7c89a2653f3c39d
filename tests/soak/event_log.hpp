#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "tests/soak/event.hpp"
#include "tests/support/loopback.hpp"

namespace zklock::soak {

/// Where a worker writes down what happens, a line in one write: what was written before a SIGKILL is there, and lines of
/// several threads do not mix. Any thread.
class event_log {
 public:
  explicit event_log(const std::filesystem::path& file);
  void write(const event& what) const;

 private:
  test_support::descriptor file_;
};

/// Follows such a file while it grows. One thread.
class event_tail {
 public:
  explicit event_tail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Hands over each line that is whole by now.
  void read(const std::function<void(std::string_view line)>& to);
  /// Empties the file. Only while no worker writes, and after all was read.
  void start_afresh();
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

 private:
  std::filesystem::path file_;
  std::uintmax_t read_ = 0;
};

}  // namespace zklock::soak
