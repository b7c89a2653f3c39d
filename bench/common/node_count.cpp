#include "bench/common/node_count.hpp"

#include <zookeeper/zookeeper.h>
#include <stdexcept>

namespace bench {
namespace {
constexpr int session_timeout_ms = 30'000;
}

node_count::~node_count() {
  if (handle_ != nullptr) {
    zookeeper_close(handle_);
  }
}

int node_count::children(const std::string& path) {
  if (handle_ == nullptr) {
    handle_ = zookeeper_init(servers_.c_str(), nullptr, session_timeout_ms, nullptr, nullptr, 0);
    if (handle_ == nullptr) {
      throw std::runtime_error("zookeeper_init");
    }
    zoo_set_servers_resolution_delay(handle_, -1);
  }
  Stat stat{};
  const int rc = zoo_exists(handle_, path.c_str(), 0, &stat);
  if (rc != ZOK && rc != ZNONODE) {
    throw std::runtime_error(std::string("zoo_exists: ") + zerror(rc));
  }
  return rc == ZOK ? stat.numChildren : 0;
}

}  // namespace bench
