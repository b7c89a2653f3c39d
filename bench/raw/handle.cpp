#include "bench/raw/handle.hpp"

#include <stdexcept>
#include <thread>

namespace raw {

constexpr int session_timeout_ms = 30'000;
constexpr std::chrono::seconds connect_limit{10};

handle::handle(const std::string& servers, bool resolve_again)
    : handle_(zookeeper_init(servers.c_str(), nullptr, session_timeout_ms, nullptr, nullptr, 0)) {
  if (handle_ == nullptr) {
    throw std::runtime_error("zookeeper_init");
  }
  if (!resolve_again) {
    zoo_set_servers_resolution_delay(handle_, -1);
  }
  const auto end = std::chrono::steady_clock::now() + connect_limit;
  while (zoo_state(handle_) != ZOO_CONNECTED_STATE) {
    if (std::chrono::steady_clock::now() > end) {
      throw std::runtime_error("not connected");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

handle::~handle() { zookeeper_close(handle_); }

void check(int rc, const char* what) {
  if (rc != ZOK) {
    throw std::runtime_error(std::string(what) + ": " + zerror(rc));
  }
}

void make_path(const handle& with, const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const int rc =
        zoo_create(with.get(), path.substr(0, slash).c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, nullptr, 0);
    if (rc != ZNODEEXISTS) {
      check(rc, "zoo_create of a parent");
    }
    if (slash == std::string::npos) {
      return;
    }
  }
}

}  // namespace raw
