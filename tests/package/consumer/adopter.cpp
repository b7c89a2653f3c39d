// A program that calls the C client itself, and lets a session adopt its handle. No server is there: the synchronous
// call, which zookeeper.h declares with THREADED alone, fails.
#include <zookeeper/zookeeper.h>

#include <chrono>
#include <system_error>

#include <zklock/adopt.hpp>
#include <zklock/mutex.hpp>

int main() {
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  zhandle_t* const handle = zookeeper_init("127.0.0.1:1", nullptr, 10'000, nullptr, nullptr, 0);
  if (handle == nullptr) return 1;
  bool as_told = zoo_get(handle, "/", 0, nullptr, nullptr, nullptr) != ZOK;
  {
    zklock::session session = zklock::adopt(handle);
    zklock::recursive_mutex orders(session, "/locks/orders", {.try_time_limit = std::chrono::milliseconds(10)});
    std::error_code ec;
    const zklock::grant none = orders.try_acquire(ec);
    as_told = ec == zklock::errc::not_connected && as_told;
  }
  zookeeper_close(handle);
  return as_told ? 0 : 1;
}
