// Locks on a TLS connection: the program opens the handle, and zklock adopts it. Compiled, and not run: Debian's
// ZooKeeper C client is built without TLS.
#include <zookeeper/zookeeper.h>

#include <mutex>
#include <stdexcept>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

//! [tls]
bool work_over_tls(const char* servers) {
  // The servers' certificate authority, the client's certificate and key, and the key's password.
  const char* certificates = "/etc/app/ca.pem,/etc/app/client.pem,/etc/app/client.key,password";
  zhandle_t* handle = zookeeper_init_ssl(servers, certificates, nullptr, 10'000, nullptr, nullptr, 0);
  if (handle == nullptr) throw std::runtime_error("cannot open a handle");
  bool held = false;
  {
    zklock::session session = zklock::adopt(handle);
    zklock::recursive_mutex orders(session, "/locks/orders");
    const std::scoped_lock guard(orders);
    held = orders.held();
  }
  zookeeper_close(handle);
  return held;
}
//! [tls]
