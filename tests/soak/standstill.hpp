#pragma once

#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/soak/event.hpp"

namespace zklock::soak {

/// Notices when this whole process stands still (SIGSTOP, a machine that has no time for it): a thread that ticks, and
/// remembers when it could not. Any thread.
class standstill {
 public:
  standstill();

  /// For how long of that time nothing ran here.
  [[nodiscard]] nanoseconds within(instant from, instant to) const;

 private:
  static constexpr std::chrono::milliseconds tick{20};
  static constexpr std::chrono::milliseconds noteworthy{100};
  static constexpr std::size_t remembered = 1'000;

  struct gap {
    instant from;
    instant to;
  };
  void run(const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::vector<gap> gaps_;  ///< guarded by mutex_; the last ones
  instant last_tick_;      ///< guarded by mutex_
  std::jthread ticking_;   // the last member: it uses the others
};

}  // namespace zklock::soak
