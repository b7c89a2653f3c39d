#include "examples/demo/worker.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <zklock/zklock.hpp>

#include "examples/demo/shared_counter.hpp"

namespace demo {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// One line in one write, so that lines of several processes do not mix.
void say(const std::string& line) {
  if (::write(STDOUT_FILENO, (line + '\n').data(), line.size() + 1) < 0) throw std::runtime_error("nobody listens");
}

void wait_for_the_start() {
  say("ready");
  char nothing = 0;
  while (::read(STDIN_FILENO, &nothing, 1) > 0) {}
}

class worker {
 public:
  explicit worker(const worker_options& options)
      : options_(options), counter_(options.directory / "counter"), meeting_(options.directory / "meeting") {}

  void increment_with(zklock::recursive_mutex& mutex) {
    const clock::time_point asked = clock::now();
    const std::scoped_lock guard(mutex);
    const auto waited = clock::now() - asked;
    const long value = counter_.read();
    std::this_thread::sleep_for(1ms);  // long enough for the others to get in, if the lock let them
    if (!mutex.held()) throw std::runtime_error("the lock was lost");
    counter_.write(value + 1);
    report(mutex.token().value, waited, value);
  }

  /// Writes only once another has read as well (or none is left that could). So whoever writes first, another has by
  /// then read the same value: at least that increment is lost, on any machine.
  void increment_without_lock() {
    const long value = counter_.read();
    const long mine = meeting_.note_read();
    while (meeting_.reads() == mine && meeting_.finished() < options_.workers - 1) std::this_thread::sleep_for(100us);
    counter_.write(value + 1);
    report(0, 0s, value);
  }

  void finish() { meeting_.note_finished(); }

 private:
  void report(std::int64_t token, clock::duration waited, long value) const {
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
    say(options_.label + ' ' + std::to_string(token) + ' ' + std::to_string(microseconds) + ' ' +
        std::to_string(value));
  }

  const worker_options& options_;
  shared_counter counter_;
  meeting_point meeting_;
};

/// The library logs to the logger of this name; what goes wrong here, an exception says as well.
void silence_the_library() { spdlog::stderr_logger_mt("zklock")->set_level(spdlog::level::off); }

void work_with_lock(const worker_options& options) {
  silence_the_library();
  zklock::session session(options.connect, {.timeout = 10s, .label = options.label});
  if (!session.wait_connected_for(10s)) throw std::runtime_error("no ZooKeeper at " + options.connect);
  zklock::recursive_mutex mutex(session, lock_path);
  worker self(options);
  wait_for_the_start();
  for (long i = 0; i < options.increments; ++i) self.increment_with(mutex);
}

void work_without_lock(const worker_options& options) {
  worker self(options);
  wait_for_the_start();
  for (long i = 0; i < options.increments; ++i) self.increment_without_lock();
  self.finish();
}

}  // namespace

int work(const worker_options& options) try {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives the demo
  options.with_lock ? work_with_lock(options) : work_without_lock(options);
  return 0;
} catch (const std::exception& error) {
  std::cerr << options.label << ": " << error.what() << std::endl;
  return 1;
}

}  // namespace demo
