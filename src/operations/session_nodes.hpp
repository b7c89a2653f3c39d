#pragma once

#include <memory>

#include "src/operations/holder_watch.hpp"
#include "src/operations/nodes.hpp"

namespace zklock::operations {

/// What the lock operations of one session share.
struct session_nodes {
  nodes all;
  const std::shared_ptr<holder_watch> watch = std::make_shared<holder_watch>(all);
};

}  // namespace zklock::operations
