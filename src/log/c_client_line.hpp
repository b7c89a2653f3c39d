#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include <zklock/log.hpp>

/// What is decided about the C client's log lines, apart from writing them.
namespace zklock::log {

struct c_client_line {
  log_level level = log_level::warning;
  std::string_view text;  ///< without the time and thread that spdlog adds itself
};

/// "2024-01-31 10:00:00,123:4711(0x7f00):ZOO_WARN@function@123: text" -> warn, "function@123: text".
/// A line that looks otherwise comes back whole, as a warning.
[[nodiscard]] c_client_line parse_c_client_line(std::string_view line) noexcept;

/// Whose news a line of the C client is.
enum class c_client_news : std::uint8_t {
  its_own,  ///< the library says nothing of it
  told,     ///< the library says it in its own words
};

/// The level that it is logged with. What the library says itself, and what the C client does not call an error, is for those who
/// look into the C client: debug.
[[nodiscard]] log_level level_of(const c_client_line& line, c_client_news news) noexcept;

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

}  // namespace zklock::log
