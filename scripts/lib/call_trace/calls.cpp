// The calls that scripts/call_trace follows. usage: calls SERVERS
#include <future>
#include <thread>

#include <zookeeper/zookeeper.h>
#include <zklock/zklock.hpp>

#include "recorder.hpp"

using namespace std::chrono_literals;

int main(int, char** arguments) {
  zklock::session session(arguments[1], {.timeout = 40s});  // a heartbeat each 3 s: none is in a case, most likely
  if (!session.wait_connected_for(10s)) {
    return 1;
  }
  zklock::recursive_mutex lock(session, "/traced/lock");
  zklock::semaphore permits(session, "/traced/permits", 8);

  trace("the first lock() of a lock object", [&] { lock.lock(); });
  trace("unlock()", [&] { lock.unlock(); });
  trace("lock()", [&] { lock.lock(); });
  trace("lock() of the thread that holds", [&] { lock.lock(); });
  lock.unlock();
  lock.unlock();
  { const zklock::grant first = permits.permits(3).acquire(); }

  zklock::grant held;
  trace("permits(3).acquire()", [&] { held = permits.permits(3).acquire(); });
  held.release();
  held = lock.acquire();
  trace("release(), which waits for the servers", [&] { held.release(); });

  held = lock.acquire();
  std::this_thread::sleep_for(4s);  // its own node is watched from a twelfth of the timeout on
  zhandle_t* const other = zookeeper_init(arguments[1], nullptr, 10'000, nullptr, nullptr, 0);
  std::promise<void> lost;
  trace("a loss, to its callback", [&] {
    const std::stop_callback told(held.lost(), [&] { lost.set_value(); });
    zoo_delete(other, held.node().c_str(), -1);
    lost.get_future().wait();
  });
  zookeeper_close(other);
}
