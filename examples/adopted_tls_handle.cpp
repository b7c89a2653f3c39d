// Locks on a TLS connection: the program opens the handle, and zklock adopts it. Compiled, and not run: Debian's
// ZooKeeper C client is built without TLS.
#include <zookeeper/zookeeper.h>

#include <memory>
#include <mutex>
#include <stdexcept>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

//! [tls]
bool work_over_tls(const char* servers) {
  // The servers' certificate authority, the client's certificate and key, and the key's password.
  const char* certificates = "/etc/app/ca.pem,/etc/app/client.pem,/etc/app/client.key,password";
  const std::unique_ptr<zhandle_t, decltype(&zookeeper_close)> handle(  // closed last, whatever is thrown
      zookeeper_init_ssl(servers, certificates, nullptr, 10'000, nullptr, nullptr, 0), &zookeeper_close);
  if (!handle) throw std::runtime_error("cannot open a handle");
  zklock::session session = zklock::adopt(handle.get());
  zklock::recursive_mutex orders(session, "/locks/orders");
  const std::scoped_lock guard(orders);
  return orders.held();
}
//! [tls]
