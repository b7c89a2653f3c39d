#include "bench/common/interval.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

interval::usage interval::now() {
  rusage self{};
  getrusage(RUSAGE_SELF, &self);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(wall).count(), seconds_of(self.ru_utime) + seconds_of(self.ru_stime),
          self.ru_nvcsw, self.ru_nivcsw};
}

void interval::begin() {
  std::puts(R"({"prepared":true})");
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::_Exit(0);
  }
  begun_ = now();
}

void interval::end(long operations) {
  const usage ended = now();
  std::printf(R"({"ops":%ld,"seconds":%.9f,"cpu":%.6f,"voluntary":%ld,"involuntary":%ld)", operations,
              ended.wall - begun_.wall, ended.cpu - begun_.cpu, ended.voluntary - begun_.voluntary,
              ended.involuntary - begun_.involuntary);
  if (!latencies_.empty()) {
    std::sort(latencies_.begin(), latencies_.end());
    for (const auto& [name, q] : {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}) {
      std::printf(R"(,"%s":%.9f)", name, quantile(latencies_, q));
    }
  }
  for (const auto& [name, value] : notes_) {
    std::printf(R"(,"%s":%.9f)", name.c_str(), value);
  }
  std::puts("}");
  std::fflush(stdout);
}

void interval::add_latencies(const std::vector<double>& seconds) {
  const std::lock_guard guard(latencies_mutex_);
  latencies_.insert(latencies_.end(), seconds.begin(), seconds.end());
}

double interval::seconds_so_far() const { return now().wall - begun_.wall; }

}  // namespace bench
