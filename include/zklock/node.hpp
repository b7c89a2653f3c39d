#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace zklock {

/// A node's data, and what the servers number it with.
struct node_data {
  std::string data;
  std::int32_t version = 0;  ///< counts the writes of this node; one that is made again begins with 0
  std::int64_t czxid = 0;    ///< of its creation: another node under the same path has another one
  std::int64_t mzxid = 0;    ///< of its last write: the later of two values has the greater one

  bool operator==(const node_data&) const = default;
};

/// How session::get() reads.
struct get_options {
  /// True: behind a write that changes nothing, so that the node is as of this call or later. False: as the session's
  /// server knows it, which may lag behind the others.
  bool fresh = false;
  std::chrono::milliseconds time_limit{10'000};
  std::stop_token stop{};
};

}  // namespace zklock
