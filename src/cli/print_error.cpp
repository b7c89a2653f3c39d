#include "src/cli/print_error.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <zklock/clock.hpp>

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t lines_max = 10'000;

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EAGAIN) {  // the program that we share it with wants no waits
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      static_cast<void>(poll(&room, 1, -1));
    } else if (written < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

/// By a signal that is blocked, as all that concern the command are.
bool is_asked_to_end() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  const std::array ending{SIGTERM, SIGINT, SIGQUIT, SIGHUP};
  return std::ranges::any_of(ending, [&pending](int number) { return sigismember(&pending, number) == 1; });
}

class printer {
 public:
  void print(std::string line) {
    {
      const std::lock_guard lock(mutex_);
      if (lines_.size() >= lines_max) {
        ++left_out_;
        return;
      }
      if (const std::size_t count = std::exchange(left_out_, 0); count != 0) {
        line = "zklock: stderr took nothing: " + std::to_string(count) + " lines are left out here\n" + line;
      }
      lines_.push_back(std::move(line));
      start();
    }
    changed_.notify_all();
  }
  /// Whether all is written, within that time.
  bool flush(boot_clock::duration limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return lines_.empty(); });
  }

 private:
  void start() {
    if (started_) return;
    try {
      std::thread([this] { work(); }).detach();
      started_ = true;
    } catch (const std::system_error&) {  // no thread can be had: what does not fit into a pipe is lost
      for (const std::string& line : lines_) {
        pollfd room{STDERR_FILENO, POLLOUT, 0};
        static_cast<void>(poll(&room, 1, 0) == 1 &&
                          write(STDERR_FILENO, line.data(), std::min<std::size_t>(line.size(), PIPE_BUF)) > 0);
      }
      lines_.clear();
    }
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !lines_.empty(); });
      const std::string& next = lines_.front();  // stays where it is while others come behind it
      lock.unlock();
      write_all(next);
      lock.lock();
      lines_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;  ///< the first one is being written
  std::size_t left_out_ = 0;
  bool started_ = false;
};

/// Never destroyed: its thread may be in write() for ever.
printer* the_one = nullptr;

printer& the_printer() {
  static const bool made = [] {
    the_one = new printer;
    return pthread_atfork(nullptr, nullptr, [] { the_one = new printer; }) == 0;  // the thread has not come along
  }();
  static_cast<void>(made);
  return *the_one;
}

}  // namespace

void print_error(const std::string& message) { print_line("zklock: " + message + "\n"); }

void print_line(std::string line) { the_printer().print(std::move(line)); }

void flush_errors() {
  while (!the_printer().flush(100ms) && !is_asked_to_end()) {}
}

void flush_errors_shortly() { the_printer().flush(200ms); }

}  // namespace zklock::cli
