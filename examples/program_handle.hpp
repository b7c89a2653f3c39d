#pragma once

#include <zookeeper/zookeeper.h>

#include <cstdint>
#include <stdexcept>
#include <string>

/// The ZooKeeper handle that a program has already, and with which it reads: zklock writes, but does not read. A
/// session that adopts it takes its locks in the same ZooKeeper session: what is read after a grant is then at least as
/// new as the grant, and so has all that earlier holders have written.
class program_handle {
 public:
  explicit program_handle(const char* servers) {
    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    handle_ = zookeeper_init(servers, nullptr, 10'000, nullptr, nullptr, 0);
    if (handle_ == nullptr) throw std::runtime_error(std::string("cannot resolve ") + servers);
    zoo_create(handle_, "/", nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, nullptr,
               0);  // a chroot has to be there
  }
  program_handle(const program_handle&) = delete;
  program_handle& operator=(const program_handle&) = delete;
  ~program_handle() { zookeeper_close(handle_); }

  [[nodiscard]] zhandle_t* get() const { return handle_; }

  /// A node's data: short ones.
  [[nodiscard]] std::string read(const std::string& path) const {
    char data[256];
    int size = sizeof data;
    const int code = zoo_get(handle_, path.c_str(), 0, data, &size, nullptr);
    if (code != ZOK) throw std::runtime_error(path + ": " + zerror(code));
    return {data, size > 0 ? static_cast<std::size_t>(size) : 0};
  }

 private:
  zhandle_t* handle_ = nullptr;
};
