#include "src/cli/library_log.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <string>

#include <zklock/log.hpp>

#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

/// "2024-01-31 10:00:00.123", in local time.
std::string time_text(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  const std::string milliseconds = std::to_string(1000 + since_epoch % 1000);
  return std::string(text.data(), length) + "." + milliseconds.substr(1);
}

}  // namespace

void set_library_log(bool verbose) {
  set_log_sink([verbose](const log_line& line) {
    if (verbose) {
      print_line("[" + time_text(std::chrono::system_clock::now()) + "] [zklock] [" +
                 std::string(to_string(line.level)) + "] " + line.text + "\n");
    }
  });
}

}  // namespace zklock::cli
