#pragma once

#include <zklock/zklock.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace zklock::interop {

/// Our locks by the kinds of peer.hpp, and what is held of them. Locks of a kind and path are made once.
class own_locks {
 public:
  /// The label of each contender; empty: none is set.
  own_locks(session& in, std::string label);
  own_locks(const own_locks&) = delete;
  own_locks& operator=(const own_locks&) = delete;
  ~own_locks();

  [[nodiscard]] grant acquire(const std::string& kind, const std::string& paths, std::chrono::milliseconds limit,
                              std::error_code& ec);
  /// The names of those at it, first come first.
  [[nodiscard]] std::vector<std::string> participants(const std::string& kind, const std::string& path);

 private:
  class any_lock;
  any_lock& of(const std::string& kind, const std::string& paths);

  session& session_;
  const std::string label_;
  std::map<std::string, std::unique_ptr<any_lock>> known_;
};

}  // namespace zklock::interop
