#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

namespace raw {

/// A connected ZooKeeper handle.
class handle {
 public:
  /// `resolve_again`: the C client's default, which looks up its hosts on every turn of its I/O loop.
  handle(const std::string& servers, bool resolve_again);
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle();

  [[nodiscard]] zhandle_t* get() const { return handle_; }

 private:
  zhandle_t* handle_;
};

/// Throws unless `rc` is ZOK.
void check(int rc, const char* what);
/// Makes the missing nodes of a path.
void make_path(const handle& with, const std::string& path);

}  // namespace raw
