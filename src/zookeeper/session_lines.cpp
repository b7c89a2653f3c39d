#include "src/zookeeper/session_lines.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "src/log/log.hpp"

namespace zklock::client {
namespace {

constexpr std::size_t places = 256;

struct noted {
  annotated_mutex mutex;
  std::array<std::shared_ptr<connection_failure>, places> at ZKLOCK_GUARDED_BY(mutex);
};

noted& of_process() {
  static noted& one = *new noted;  // never destroyed: the C client's threads may outlive static objects
  return one;
}

template <std::size_t Place>
void log_line_at(const char* line) {
  const int errno_before = errno;  // the client logs before it returns with a reason there
  std::shared_ptr<connection_failure> whose;
  {
    const scoped_lock_on lock(of_process().mutex);
    whose = of_process().at[Place];
  }
  log::c_client_news news = log::c_client_news::its_own;
  try {
    if (const failed_attempt met = connection_failure_of(line); !met.text.empty()) {
      news = log::c_client_news::told;
      // One line for each outage and server: the client tries again and again. Nobody waits for a session that is gone.
      if (whose && whose->note(met)) {
        log::write(log_level::warning, "no connection to " + met.text);
      }
    }
  } catch (const std::exception&) {  // no memory: the line is logged all the same
  }
  errno = errno_before;
  log::write_c_client_line(line, news);
}

/// Of no session that is known here: what it says of connections is said by nobody else.
void log_line(const char* line) { log::write_c_client_line(line, log::c_client_news::its_own); }

template <std::size_t... Place>
constexpr std::array<session_lines::callback, sizeof...(Place)> callbacks_of(std::index_sequence<Place...> /*all*/) {
  return {&log_line_at<Place>...};
}
constexpr auto callbacks = callbacks_of(std::make_index_sequence<places>());

std::size_t take_place(const std::shared_ptr<connection_failure>& failure) {
  const scoped_lock_on lock(of_process().mutex);
  auto& all = of_process().at;
  const auto free = std::find(all.begin(), all.end(), nullptr);
  if (free != all.end()) {
    *free = failure;
  }
  return static_cast<std::size_t>(free - all.begin());
}

}  // namespace

session_lines::session_lines(bool failures_told_elsewhere)
    : failure_(std::make_shared<connection_failure>(failures_told_elsewhere)), place_(take_place(failure_)) {}

session_lines::~session_lines() {
  if (place_ < places) {
    const scoped_lock_on lock(of_process().mutex);
    of_process().at[place_].reset();
  }
}

session_lines::callback session_lines::to() const noexcept { return place_ < places ? callbacks[place_] : &log_line; }

}  // namespace zklock::client
