#include "src/runtime/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>

#include "src/runtime/thread_safety.hpp"
#include "src/zookeeper/c_client_log.hpp"

namespace zklock::log {
namespace {

constexpr const char* logger_name = "zklock";
constexpr double c_client_lines_per_second = 0.5;
constexpr double c_client_burst = 10;

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

// Asked for at every line: the program may register its own logger, or drop ours, at any time. Null when the registry goes
// or has gone, and with it the loggers.
std::shared_ptr<spdlog::logger> logger() {
  begin();
  const scoped_lock_on lock(registry().mutex);
  if (registry().gone) {
    return nullptr;
  }
  if (auto found = spdlog::get(logger_name)) {
    return found;
  }
  try {
    return spdlog::stderr_logger_mt(logger_name);
  } catch (const spdlog::spdlog_ex&) {  // another thread was faster
    return spdlog::get(logger_name);
  }
}

spdlog::level::level_enum translated(level severity) {
  switch (severity) {
    case level::debug: return spdlog::level::debug;
    case level::info: return spdlog::level::info;
    case level::warn: return spdlog::level::warn;
    case level::error: return spdlog::level::err;
    case level::off: return spdlog::level::off;
  }
  return spdlog::level::err;
}

class c_client_limit {
 public:
  client::line_limit::verdict ask() ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return limit_.ask(std::chrono::steady_clock::now().time_since_epoch());
  }

 private:
  annotated_mutex mutex_;
  client::line_limit limit_ ZKLOCK_GUARDED_BY(mutex_){c_client_lines_per_second, c_client_burst};
};

}  // namespace

void begin() { static const registry_end end; }

void write(level severity, std::string_view line) noexcept {
  try {
    if (const auto to = logger()) {
      to->log(translated(severity), spdlog::string_view_t(line.data(), line.size()));
    }
  } catch (...) {  // a log that cannot be written fails no caller
  }
}

void set_level(level least) noexcept {
  try {
    if (const auto to = logger()) {
      to->set_level(translated(least));
    }
  } catch (...) {  // as in write()
  }
}

void write_c_client_line(const char* line) noexcept {
  const int errno_before = errno;  // the client logs before it returns with a reason there
  try {
    client::note_connection_failure(line);
    static auto& limit = *new c_client_limit;  // never destroyed: the client's threads may log while the program exits
    const auto [admitted, suppressed] = limit.ask();
    if (!admitted) {
      return;
    }
    if (suppressed > 0) {
      write(level::warn, "c client: " + std::to_string(suppressed) + " lines suppressed");
    }
    const auto [severity, text] = client::parse_c_client_line(line);
    write(severity, "c client: " + std::string(text));
  } catch (...) {}
  errno = errno_before;
}

}  // namespace zklock::log
