#include "take_lock.hpp"

#include <mutex>
#include <shared_mutex>
#include <string_view>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

const char* take_locks() {
  if (zklock::library_version() != std::string_view(ZKLOCK_VERSION_STRING)) return "headers and library differ";
  zklock::testing::fake_ensemble zookeeper;
  zklock::session session(zookeeper.clients());
  zklock::recursive_mutex orders(session, "/locks/orders");
  zklock::shared_mutex config(session, "/locks/config");
  zklock::semaphore pool(session, "/locks/pool", 2);
  {
    const std::scoped_lock guard(orders);
    const std::shared_lock reading(config);
    if (!orders.held() || !config.held()) return "a lock is not held";
  }
  zklock::multi_lock all{orders, config.write(), pool.permits(2)};
  zklock::grant g = all.try_acquire_for(10s);
  if (!g.held()) return "the multi-lock is not held";
  g.release();
  try {
    zklock::recursive_mutex refused(session, "no/path");
  } catch (const zklock::error& failure) {  // thrown in the library, caught here
    return failure.code() == zklock::errc::invalid_path ? "" : "another error than invalid_path";
  }
  return "a bad path was accepted";
}
