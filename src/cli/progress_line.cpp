#include "src/cli/progress_line.hpp"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

namespace zklock::cli {
namespace {

constexpr std::chrono::milliseconds before_the_first{1'000};
constexpr std::chrono::milliseconds between{500};

/// Spaces in place of what is longer of the text before.
void print_over(std::size_t& width, const std::string& text) {
  const std::size_t longer = width > text.size() ? width - text.size() : 0;
  std::fputs(("\r" + text + std::string(longer, ' ') + std::string(longer, '\b')).c_str(), stderr);
  std::fflush(stderr);
  width = text.size();
}

void run(const std::stop_token& stop, const std::function<std::string()>& text) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  const auto is_over_in = [&](std::chrono::milliseconds time) {
    return asked.wait_for(lock, stop, time, [] { return false; }) || stop.stop_requested();
  };
  std::size_t width = 0;
  for (bool over = is_over_in(before_the_first); !over; over = is_over_in(between)) {
    print_over(width, text());
  }
  if (width > 0) {
    print_over(width, "");
    std::fputs("\r", stderr);
  }
}

}  // namespace

progress_line::progress_line(std::function<std::string()> text) {
  if (isatty(STDERR_FILENO) != 0) {
    thread_ = std::jthread([text = std::move(text)](const std::stop_token& stop) { run(stop, text); });
  }
}

}  // namespace zklock::cli
