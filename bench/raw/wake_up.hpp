#pragma once

#include <semaphore.h>

namespace raw {

/// Wakes one thread once for each set(): a futex, without the yields of std::binary_semaphore.
class wake_up {
 public:
  wake_up() { sem_init(&semaphore_, 0, 0); }
  wake_up(const wake_up&) = delete;
  wake_up& operator=(const wake_up&) = delete;
  ~wake_up() { sem_destroy(&semaphore_); }

  void set() { sem_post(&semaphore_); }
  void wait() {
    while (sem_wait(&semaphore_) != 0) {}
  }

 private:
  sem_t semaphore_;
};

}  // namespace raw
