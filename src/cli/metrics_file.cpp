#include "src/cli/metrics_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <string_view>

#include <zklock/prometheus.hpp>

#include "src/cli/print_error.hpp"
#include "src/cli/usage_error.hpp"

namespace zklock::cli {
namespace {

constexpr std::chrono::seconds between_writes{15};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(file, text.data(), text.size());
    if (size < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  return true;
}

/// False: errno says why. Takes the place of a regular file alone: not of a device, a pipe or a link.
bool write_whole(const std::string& path, const std::string& text) {
  struct stat about {};
  if (lstat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode)) {
    errno = EEXIST;
    return false;
  }
  const std::string written = path + "." + std::to_string(getpid());  // beside it; the collector reads *.prom alone
  constexpr mode_t for_all_to_read = 0644;
  const int file = open(written.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, for_all_to_read);
  int why = file >= 0 && write_all(file, text) ? 0 : errno;
  if (file >= 0) {
    close(file);
  }
  if (why == 0 && std::rename(written.c_str(), path.c_str()) == 0) {
    return true;
  }
  why = why != 0 ? why : errno;
  std::remove(written.c_str());
  errno = why;
  return false;
}

/// The file stays behind: it keeps what was counted, and no alert is to stand on the rest for ever.
void close_figures(session_statistics& all) {
  all.state = session_state::closed;
  all.deadline_left.reset();
  all.least_deadline_left.reset();
  all.watches = 0;
  for (lock_statistics& one : all.locks) {
    one.holds = one.waits = one.removals = 0;
    one.oldest_hold = one.oldest_wait = {};
  }
}

}  // namespace

std::string metrics_file::figures(bool at_end) const {
  std::ostringstream text;
  session_statistics all = of_.statistics();
  all.session = name_;
  for (lock_statistics& one : all.locks) {
    one.name = name_;  // alerts name a lock by it, and count the leaders of each
  }
  if (at_end) {
    close_figures(all);
  }
  write_prometheus(text, all);
  return text.str();
}

metrics_file::metrics_file(const session& of, const std::string& path, const std::string& name)
    : of_(of), path_(path), name_(name) {
  if (path_.empty()) {
    return;
  }
  if (!write_whole(path_, figures())) {
    throw usage_error("--metrics \"" + path_ + "\" cannot be written: " + std::strerror(errno));
  }
  writes_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wakes;
    bool said = false;
    for (;;) {
      std::unique_lock lock(mutex);
      if (wakes.wait_for(lock, stop, between_writes, [&stop] { return stop.stop_requested(); })) {
        return;
      }
      if (!write_whole(path_, figures()) && !said) {
        print_error("--metrics \"" + path_ + "\": " + std::strerror(errno));
        said = true;
      }
    }
  });
}

metrics_file::~metrics_file() {
  if (!path_.empty()) {
    writes_.request_stop();
    writes_.join();
    static_cast<void>(write_whole(path_, figures(true)));
  }
}

}  // namespace zklock::cli
