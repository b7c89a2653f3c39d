#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <zklock/log.hpp>

#include "src/runtime/thread_safety.hpp"

/// What is decided about the C client's log lines, apart from writing them.
namespace zklock::client {

struct c_client_line {
  log_level level = log_level::warning;
  std::string_view text;  ///< without the time and thread that spdlog adds itself
};

/// "2024-01-31 10:00:00,123:4711(0x7f00):ZOO_WARN@function@123: text" -> warn, "function@123: text".
/// A line that looks otherwise comes back whole, as a warning.
[[nodiscard]] c_client_line parse_c_client_line(std::string_view line) noexcept;

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

/// A token bucket that counts what it has refused.
class line_limit {
 public:
  struct verdict {
    bool admitted = false;
    std::uint64_t suppressed = 0;  ///< admitted: how many were refused since the last admitted one
  };

  line_limit(double per_second, double burst) noexcept : per_second_(per_second), burst_(burst), tokens_(burst) {}

  /// `now` never falls.
  [[nodiscard]] verdict ask(std::chrono::nanoseconds now) noexcept;

 private:
  double per_second_;
  double burst_;
  double tokens_;
  std::chrono::nanoseconds last_{0};
  std::uint64_t suppressed_ = 0;
};

}  // namespace zklock::client
