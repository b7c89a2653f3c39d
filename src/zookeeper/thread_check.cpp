#include "src/zookeeper/thread_check.hpp"

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "src/threads/one_time_event.hpp"

namespace zklock::client {
namespace {

class idle_thread {
 public:
  idle_thread() : thread_([this] { stand_idle(); }) {}
  idle_thread(const idle_thread&) = delete;
  idle_thread& operator=(const idle_thread&) = delete;
  ~idle_thread() {
    ended_.set();
    thread_.join();
    wait_until_uncounted();
  }

 private:
  void stand_idle() noexcept {
    id_ = gettid();
    ended_.wait();
  }

  /// A thread that has been joined counts against the limits for an instant more: the C client's would be one too many.
  void wait_until_uncounted() const noexcept {
    constexpr int tries = 1000;
    for (int tried = 0; tried < tries && tgkill(getpid(), id_, 0) == 0; ++tried) {
      std::this_thread::yield();
    }
  }

  detail::one_time_event ended_;
  std::atomic<pid_t> id_ = 0;
  std::thread thread_;
};

}  // namespace

void require_threads_for_handle() { const std::array<idle_thread, 2> at_once; }

}  // namespace zklock::client
