#pragma once

#include <semaphore.h>

#include <cerrno>
#include <chrono>
#include <ctime>

namespace zklock::detail {

/// Happens once; any number of threads wait for it. May end as soon as each wait() has returned, also inside set().
///
/// POSIX's semaphore sleeps at once: std::atomic::wait of libstdc++ 12 yields first, and an answer takes longer.
class one_time_event {
 public:
  one_time_event() noexcept { ::sem_init(&happened_, 0, 0); }
  one_time_event(const one_time_event&) = delete;
  one_time_event& operator=(const one_time_event&) = delete;
  ~one_time_event() { ::sem_destroy(&happened_); }

  void set() noexcept { ::sem_post(&happened_); }

  void wait() noexcept {
    while (::sem_wait(&happened_) != 0 && errno == EINTR) {}
    ::sem_post(&happened_);  // for the next wait
  }

  /// For one thread that waits for several things in turn: takes one set() back, and waits for it no longer than that.
  void take_within(std::chrono::nanoseconds time) noexcept {
    const auto end = (std::chrono::steady_clock::now() + time).time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end);
    const ::timespec until{static_cast<std::time_t>(seconds.count()), static_cast<long>((end - seconds).count())};
    while (::sem_clockwait(&happened_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {}
  }
  /// As if set() had not been called yet.
  void reset() noexcept {
    while (::sem_trywait(&happened_) == 0) {}
  }

 private:
  ::sem_t happened_;
};

}  // namespace zklock::detail
