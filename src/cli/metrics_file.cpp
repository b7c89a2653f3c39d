#include "src/cli/metrics_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stop_token>

#include <zklock/prometheus.hpp>

#include "src/cli/print_error.hpp"
#include "src/cli/usage_error.hpp"

namespace zklock::cli {
namespace {

constexpr std::chrono::seconds between_writes{15};

/// False: errno says why.
bool write_whole(const std::string& path, const std::string& text) {
  const std::string written = path + "." + std::to_string(getpid());  // beside it; the collector reads *.prom alone
  errno = 0;
  std::ofstream file(written, std::ios::trunc);
  file << text << std::flush;
  if (file.good() && std::rename(written.c_str(), path.c_str()) == 0) {
    return true;
  }
  const int why = errno;
  std::remove(written.c_str());
  errno = why;
  return false;
}

std::string figures_of(const session& of) {
  std::ostringstream text;
  write_prometheus(text, of.statistics());
  return text.str();
}

}  // namespace

metrics_file::metrics_file(const session& of, const std::string& path) : of_(of), path_(path) {
  if (path_.empty()) {
    return;
  }
  if (!write_whole(path_, figures_of(of_))) {
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
      if (!write_whole(path_, figures_of(of_)) && !said) {
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
    static_cast<void>(write_whole(path_, figures_of(of_)));
  }
}

}  // namespace zklock::cli
