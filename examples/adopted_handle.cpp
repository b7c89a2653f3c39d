// Locks on a ZooKeeper handle that the program already has.
//
//     adopted_handle SERVERS    e.g. 127.0.0.1:2181/example
#include <zookeeper/zookeeper.h>

#include <iostream>
#include <mutex>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

//! [adopt]
bool work(zhandle_t* handle) {
  zklock::session session = zklock::adopt(handle);  // no second session on the servers
  zklock::recursive_mutex orders(session, "/locks/adopted");
  const std::scoped_lock guard(orders);
  return orders.held();
}  // the session object removes its nodes and is destroyed; only then may the program call zookeeper_close
//! [adopt]

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: adopted_handle SERVERS\n";
    return 64;
  }
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  zhandle_t* handle = zookeeper_init(arguments[1], nullptr, 10'000, nullptr, nullptr, 0);
  if (handle == nullptr) {
    std::cerr << "cannot resolve " << arguments[1] << '\n';
    return 69;
  }
  zoo_create(handle, "/", nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, nullptr,
             0);  // the chroot, if there is one
  const bool held = work(handle);
  zookeeper_close(handle);
  return held ? 0 : 1;
}
