// A program whose session goes with its statics, and holds a lock until then. Arguments: connect string, which of the ways
// below. Says "held", and ends when its stdin does.
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <zklock/zklock.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#if defined(__SANITIZE_THREAD__)
/// spdlog's library is not instrumented: its registry gives up its count of a logger at exit, with an atomic that the
/// sanitizer does not see, so that it takes the destruction for a race with the thread that has logged last.
extern "C" const char* __tsan_default_suppressions() {
  return "race:std::_Sp_counted_ptr_inplace<spdlog::logger, std::allocator<void>*>::_M_destroy\n"
         "race:spdlog::logger::~logger\n"
         "race:spdlog::pattern_formatter::~pattern_formatter\n";
}
#endif

namespace {

using std::chrono_literals::operator""s;

const zklock::session_options options{.timeout = 4s, .close_time_limit = 1s};

struct holding {
  explicit holding(const std::string& servers) : session(servers, options) {}

  zklock::session session;
  zklock::recursive_mutex lock{session, "/lock"};
  zklock::grant held = lock.acquire();
};

std::optional<holding> global;  // it is older than all that is made in main(), and goes after it

void hold_in_statics(const std::string& servers) {
  static zklock::session session(servers, options);
  static zklock::recursive_mutex lock(session, "/lock");
  static const zklock::grant held = lock.acquire();
}

void hold_in_a_global(const std::string& servers) { global.emplace(servers); }

void hold_until_the_log_is_shut_down(const std::string& servers) {
  hold_in_statics(servers);
  spdlog::shutdown();
}

void replace_the_logger() {
  auto own = std::make_shared<spdlog::logger>("zklock", std::make_shared<spdlog::sinks::null_sink_mt>());
  spdlog::drop("zklock");
  spdlog::register_logger(own);
}

void hold_with_a_logger_of_the_programs_own(const std::string& servers) {
  hold_in_statics(servers);
  replace_the_logger();
}

/// Its session and its lock are never destroyed, and a thread makes a line of the log with each turn until the process ends.
void hold_while_a_thread_goes_on_logging(const std::string& servers) {
  replace_the_logger();
  zklock::set_contract_handler([](const char*, const char*) {});
  auto& it = *new holding(servers);
  std::thread([&it] {
    for (;;) {
      it.lock.unlock();  // which that thread does not hold
    }
  }).detach();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void(const std::string&)>> ways{
      {"static", hold_in_statics},
      {"global", hold_in_a_global},
      {"log-shut-down", hold_until_the_log_is_shut_down},
      {"own-logger", hold_with_a_logger_of_the_programs_own},
      {"logging-thread", hold_while_a_thread_goes_on_logging}};
  if (argc != 3) {
    return EXIT_FAILURE;
  }
  ways.at(argv[2])(argv[1]);
  std::cout << "held" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {}
}
