#pragma once

#include <memory>

#include "src/operations/holder_watch.hpp"
#include "src/operations/nodes.hpp"

namespace zklock::operations {

/// What the lock operations of one session share.
struct session_nodes {
  session_nodes() = default;
  session_nodes(const session_nodes&) = delete;
  session_nodes& operator=(const session_nodes&) = delete;

  nodes registry;
  const std::shared_ptr<holder_watch> watch = std::make_shared<holder_watch>(registry);
};

}  // namespace zklock::operations
