// One process of the soak: a few threads on one session, which lock, hold, write to a store, and write down what happens.
// Does as its standard input says: work, rest (end what is under way, and say so), quit. See soak.cpp.
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/soak/attempt.hpp"
#include "tests/soak/holding.hpp"
#include "tests/soak/shared_session.hpp"

namespace zklock::soak {
namespace {

using namespace std::chrono_literals;

/// Whether the threads work, and whether they all rest.
class shift {
 public:
  explicit shift(int threads) : threads_(threads) {}

  /// Waits until there is work. False: never again.
  bool wait_for_work() {
    std::unique_lock lock(mutex_);
    ++resting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return working_ || over_; });
    --resting_;
    return !over_;
  }
  [[nodiscard]] bool goes_on() {
    const std::scoped_lock lock(mutex_);
    return working_ && !over_;
  }
  void begin() { set(working_, true); }
  void end() { set(over_, true); }
  void rest() {
    std::unique_lock lock(mutex_);
    working_ = false;
    changed_.wait(lock, [this] { return resting_ == threads_; });
  }

 private:
  void set(bool& what, bool to) {
    const std::scoped_lock lock(mutex_);
    what = to;
    changed_.notify_all();
  }
  const int threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int resting_ = 0;
  bool working_ = false;
  bool over_ = false;
};

struct orders {
  std::string name;
  std::string servers;
  std::filesystem::path directory;  ///< of logs and stores
  std::uint64_t seed = 0;
  planted does = planted::nothing;
  std::vector<std::string> locks;
};

class worker {
 public:
  explicit worker(const orders& by)
      : by_(by),
        log_(by.directory / (by.name + ".events")),
        session_(by.servers, by.name, by.locks, log_),
        on_{log_, stood_, by.does, attempts_} {}

  void run() {
    std::vector<std::jthread> threads;
    for (int number = 0; number < thread_count; ++number) {
      threads.emplace_back([this, number] { work(lot(by_.seed * thread_count + static_cast<std::uint64_t>(number))); });
    }
    std::string order;
    while (std::getline(std::cin, order) && order != "quit") {
      if (order == "work") {
        kept_ = {};
        shift_.begin();
      } else if (order == "rest") {
        shift_.rest();
        if (by_.does == planted::keeps_a_grant) keep_a_grant();
        log_.write(at_rest{boot_clock::now()});
      }
    }
    shift_.end();
  }

 private:
  static constexpr int thread_count = 3;

  /// One of the workers gets it.
  void keep_a_grant() {
    std::error_code held_by_another;
    kept_ = session_.current(3s)->locks.front()->try_acquire(held_by_another);
  }

  void work(lot draws) {
    std::vector<std::int64_t> bases(by_.locks.size());
    while (shift_.wait_for_work()) {
      while (shift_.goes_on()) once(draws, bases);
    }
  }

  void once(lot& draws, std::vector<std::int64_t>& bases) {
    static constexpr std::array<std::chrono::milliseconds, 4> timeouts{2s, 2s, 3s, 5s};
    const std::shared_ptr<generation> in = session_.current(timeouts.at(draws.below(timeouts.size())));
    if (draws.once_in(300)) {
      session_.renew(in);
      return;
    }
    const std::size_t which = draws.below(by_.locks.size());
    std::unique_ptr<recursive_mutex> own;
    if (draws.once_in(3)) own = std::make_unique<recursive_mutex>(in->on, by_.locks[which]);
    recursive_mutex& lock = own ? *own : *in->locks[which];
    if (acquired got = acquire_somehow(lock, in->number, draws, on_); got.granted) {
      if (!got.by_lock && draws.once_in(2)) own.reset();  // a grant may outlive its lock
      holding(std::move(got), lock, by_.directory / ("store-" + std::to_string(which)), draws, on_).go(bases[which]);
    }
    std::this_thread::sleep_for(draws.between(0ms, 20ms));
  }

  const orders& by_;
  const event_log log_;
  const standstill stood_;
  std::atomic<attempt_number> attempts_ = 0;
  shared_session session_;
  const desk on_;
  shift shift_{thread_count};
  grant kept_;
};

orders orders_in(const std::vector<std::string>& words) {
  orders by;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "--name") {
      by.name = value;
    } else if (words[i] == "--servers") {
      by.servers = value;
    } else if (words[i] == "--directory") {
      by.directory = value;
    } else if (words[i] == "--seed") {
      by.seed = std::stoull(value);
    } else if (words[i] == "--planted") {
      by.does = planted_by_name(value).value();
    } else if (words[i] == "--lock") {
      by.locks.push_back(value);
    } else {
      throw std::invalid_argument(words[i]);
    }
  }
  return by;
}

void log_library_to(const std::filesystem::path& file) {
  constexpr std::size_t most = std::size_t{20} * 1024 * 1024;
  const auto logger = spdlog::rotating_logger_mt("zklock", file.string(), most, 1);
  logger->flush_on(spdlog::level::info);
}

}  // namespace
}  // namespace zklock::soak

int main(int argc, char** argv) try {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives the soak
  const auto by = zklock::soak::orders_in(std::vector<std::string>(argv + 1, argv + argc));
  zklock::soak::log_library_to(by.directory / (by.name + ".library"));
  zklock::soak::worker(by).run();
  return 0;
} catch (const std::exception& error) {
  std::cerr << "soak worker: " << error.what() << std::endl;
  return 1;
}
