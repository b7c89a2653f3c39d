#include "order_service.hpp"

#include <mutex>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

int place_order() {
  static int placed = 0;
  zklock::testing::fake_ensemble zookeeper;
  zklock::session session(zookeeper.clients());
  zklock::recursive_mutex orders(session, "/locks/orders");
  const std::scoped_lock guard(orders);
  return ++placed;
}
