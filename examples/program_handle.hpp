#pragma once

//! [program handle]
#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <stdexcept>
#include <string>

// The program's own ZooKeeper handle, with which it reads: zklock writes, but does not read. If a session adopts the
// handle, its locks are in the same ZooKeeper session: a read after a grant sees all that earlier holders have written.
class program_handle {
 public:
  explicit program_handle(const char* servers) {  // "host:port[,host:port...][/chroot]"
    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    handle_ = zookeeper_init(servers, nullptr, 10'000, nullptr, nullptr, 0);  // no watcher function; T = 10 s
    if (handle_ == nullptr) throw std::runtime_error(std::string("cannot resolve ") + servers);
    // On an adopted handle the library does not create the chroot. If it exists, this call fails, and changes nothing.
    zoo_create(handle_, "/", nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, nullptr, 0);
  }
  program_handle(const program_handle&) = delete;
  program_handle& operator=(const program_handle&) = delete;
  ~program_handle() { zookeeper_close(handle_); }  // after the session object that has adopted the handle

  [[nodiscard]] zhandle_t* get() const { return handle_; }

  // A node's data, at most 1000 bytes.
  [[nodiscard]] std::string read(const std::string& path) const {
    char data[1000];
    int size = sizeof data;
    Stat stat{};
    const int code = zoo_get(handle_, path.c_str(), 0, data, &size, &stat);  // waits for the server
    if (code != ZOK) throw std::runtime_error(path + ": " + zerror(code));
    if (stat.dataLength > static_cast<int>(sizeof data)) throw std::length_error(path);
    return {data, size > 0 ? static_cast<std::size_t>(size) : 0};  // -1: the node has no data
  }

 private:
  zhandle_t* handle_ = nullptr;
};
//! [program handle]
