#include "src/log/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "src/log/c_client_line.hpp"
#include "src/log/log_sink_slot.hpp"
#include "src/threads/fork_guard.hpp"
#include "src/threads/stay_loaded.hpp"
#include "src/threads/thread_safety.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::log {
namespace {

constexpr const char* logger_name = "zklock";
constexpr double c_client_lines_per_second = 0.5;
constexpr double c_client_burst = 10;
constexpr std::chrono::seconds sink_wait_max{5};

struct registry_state {
  annotated_mutex mutex;
  bool gone ZKLOCK_GUARDED_BY(mutex) = false;
};

registry_state& registry() {
  static auto& state = *new registry_state;  // never destroyed: sessions and the client's threads ask to the very end
  return state;
}

/// A static that is made after spdlog's registry, so it goes before it.
class registry_end {
 public:
  registry_end() { static_cast<void>(spdlog::get(logger_name)); }
  registry_end(const registry_end&) = delete;
  registry_end& operator=(const registry_end&) = delete;
  ~registry_end() {
    const scoped_lock_on lock(registry().mutex);
    registry().gone = true;
  }
};

/// The program's own logger, which it may register or drop at any time; else one that is not registered: what this library
/// makes goes with it when it is unloaded. Null when the registry goes or has gone, and with it the program's loggers.
std::shared_ptr<spdlog::logger> logger() {
  begin();
  const scoped_lock_on lock(registry().mutex);
  if (registry().gone) {
    return nullptr;
  }
  if (auto found = spdlog::get(logger_name)) {
    return found;
  }
  static auto& to_stderr = *new std::shared_ptr<spdlog::logger>;  // never destroyed: see registry()
  if (!to_stderr) {
    to_stderr = std::make_shared<spdlog::logger>(logger_name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    to_stderr->set_level(spdlog::level::warn);
  }
  return to_stderr;
}

spdlog::level::level_enum translated(log_level level) {
  switch (level) {
    case log_level::debug: return spdlog::level::debug;
    case log_level::info: return spdlog::level::info;
    case log_level::warning: return spdlog::level::warn;
    case log_level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

/// Never destroyed: see registry(). A child of fork() has another one: a thread that is not there may be in the parent's.
sink_slot& programs_sink() {
  struct of_process {
    unsigned made_in = detail::fork_generation();
    sink_slot slot;
  };
  static std::atomic<of_process*> held{new of_process};
  of_process* here = held.load();
  if (here->made_in != detail::fork_generation()) {
    auto fresh = std::make_unique<of_process>();
    if (held.compare_exchange_strong(here, fresh.get())) {
      here = fresh.release();
    }
  }
  return here->slot;
}

class c_client_limit {
 public:
  line_limit::verdict ask() ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return limit_.ask(std::chrono::steady_clock::now().time_since_epoch());
  }

 private:
  annotated_mutex mutex_;
  line_limit limit_ ZKLOCK_GUARDED_BY(mutex_){c_client_lines_per_second, c_client_burst};
};

}  // namespace

void begin() { static const registry_end end; }

void write(const log_line& line) noexcept {
  try {
    if (programs_sink().write(line)) {
      return;
    }
    if (const auto to = logger()) {
      to->log(translated(line.level), spdlog::string_view_t(line.text.data(), line.text.size()));
    }
  } catch (...) {  // a log that cannot be written fails no caller
  }
}

void write(log_level level, std::string text) noexcept { write(log_line{level, std::move(text)}); }

void callback_threw(const char* what) noexcept {
  try {
    write(log_level::error, std::string("a callback threw: ") + what);
  } catch (...) {}
}

void write_c_client_line(const char* line, c_client_news news) noexcept {
  const int errno_before = errno;  // the client logs before it returns with a reason there
  try {
    // Never destroyed: the client's threads may log while the program exits.
    static auto& of_errors = *new c_client_limit;
    static auto& of_others = *new c_client_limit;
    const c_client_line parsed = parse_c_client_line(line);
    const log_level level = level_of(parsed, news);
    const auto [admitted, suppressed] = (level == log_level::error ? of_errors : of_others).ask();
    if (!admitted) {
      return;
    }
    if (suppressed > 0) {
      write(level, "c client: " + std::to_string(suppressed) + " lines suppressed");
    }
    write(level, "c client: " + std::string(parsed.text));
  } catch (...) {}
  errno = errno_before;
}

}  // namespace zklock::log

namespace zklock {

void set_log_sink(log_sink sink) {
  if (log::programs_sink().set(std::move(sink), log::sink_wait_max)) {
    return;
  }
  detail::stay_loaded();  // a plugin may be closed while the sink before still runs
  if (!detail::in_user_code()) {
    log::write(log_level::warning, "set_log_sink: the log sink that was replaced still runs after " +
                                       std::to_string(log::sink_wait_max.count()) + " s");
  }
}

std::string_view to_string(log_level level) noexcept {
  switch (level) {
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
  }
  return "error";
}

}  // namespace zklock
