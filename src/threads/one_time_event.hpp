#pragma once

#include <semaphore.h>

#include <cerrno>

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

 private:
  ::sem_t happened_;
};

}  // namespace zklock::detail
