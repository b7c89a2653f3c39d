#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::test {

using test_support::private_zookeeper;
using test_support::proxy;
using test_support::proxy_mode;

/// The servers of a trial, each with a proxy in front of it, through which the holder goes. All other clients go there
/// directly.
class scene {
 public:
  /// Servers that others use as well: only the proxies may be tampered with.
  explicit scene(const std::string& servers);
  /// Servers of its own.
  explicit scene(private_zookeeper& own);

  [[nodiscard]] std::size_t size() const { return ports_.size(); }
  [[nodiscard]] std::uint16_t port(std::size_t server) const { return ports_.at(server); }
  [[nodiscard]] proxy& way_to(std::size_t server) { return *ways_.at(server); }
  /// Throws std::logic_error when the servers are not its own.
  [[nodiscard]] private_zookeeper& own();
  /// Which server leads; waits for one.
  [[nodiscard]] std::size_t leader();

  [[nodiscard]] std::string through_proxies() const;
  [[nodiscard]] std::string all_but(std::size_t server) const;  ///< directly; of a single server: that one

  /// Restarts a server, which from then on grants such session timeouts only, until restore().
  void bound_session_timeouts(std::size_t server, const test_support::timeout_bounds& bounds);

  /// Everything passes, every server runs, serves and has its own limits.
  void restore();

 private:
  std::vector<std::uint16_t> ports_;
  private_zookeeper* own_ = nullptr;
  std::vector<std::unique_ptr<proxy>> ways_;
  std::vector<std::size_t> bounded_;  ///< servers with other session timeouts than usual
};

}  // namespace zklock::test
