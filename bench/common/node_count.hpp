#pragma once

#include <string>

struct _zhandle;

namespace bench {

/// Counts a node's children over a handle of its own, so that no session that is measured sends a request for it.
class node_count {
 public:
  explicit node_count(std::string servers) : servers_(std::move(servers)) {}
  node_count(const node_count&) = delete;
  node_count& operator=(const node_count&) = delete;
  ~node_count();

  [[nodiscard]] int children(const std::string& path);

 private:
  const std::string servers_;
  _zhandle* handle_ = nullptr;
};

}  // namespace bench
