#pragma once

#include <pthread.h>

#include <exception>
#include <functional>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

namespace bench {

/// Threads with small stacks that all begin when they are told to. Their creation and end are not measured.
class crew {
 public:
  /// `work` is called once in each thread, with the thread's number.
  crew(int threads, std::function<void(int)> work);
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew();

  void start() { gate_.count_down(); }
  /// Returns when each thread has done its work. Throws what the work of one has thrown.
  void wait_done();

 private:
  struct member;
  static void* run(void* of);

  const std::function<void(int)> work_;
  std::latch gate_{1};
  std::latch done_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::vector<member> members_;
};

struct crew::member {
  crew* all;
  int number;
  pthread_t thread;
};

}  // namespace bench
