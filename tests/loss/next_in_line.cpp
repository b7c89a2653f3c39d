#include "tests/loss/next_in_line.hpp"

#include <condition_variable>
#include <mutex>

namespace zklock::test {

next_in_line::next_in_line(const std::string& servers, std::chrono::milliseconds timeout, const std::string& path)
    : session_(servers, {.timeout = timeout}),
      lock_(session_, path),
      waiting_([this](const std::stop_token& stop) { wait_and_hold(stop); }) {}

next_in_line::~next_in_line() { release(); }

void next_in_line::wait_and_hold(const std::stop_token& stop) {
  std::error_code ec;
  const grant held = lock_.acquire(stop, ec);
  if (!held) {
    return;
  }
  token_ = held.token().czxid;
  granted_at_ = boot_clock::now().time_since_epoch().count();
  std::mutex alone;
  std::condition_variable_any told;
  std::unique_lock guard(alone);
  told.wait(guard, stop, [] { return false; });
}

std::optional<boot_clock::time_point> next_in_line::granted() const {
  const boot_clock::rep at = granted_at_;
  return at != 0 ? std::optional(boot_clock::time_point(boot_clock::duration(at))) : std::nullopt;
}

void next_in_line::release() {
  waiting_.request_stop();
  if (waiting_.joinable()) {
    waiting_.join();
  }
}

}  // namespace zklock::test
