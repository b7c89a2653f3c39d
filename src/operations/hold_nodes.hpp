#pragma once

#include "src/engine/hold.hpp"
#include "src/engine/out.hpp"

namespace zklock::operations {

/// What is known of the nodes that stand for holds.
class hold_nodes {
 public:
  /// Whether it is not known which node stands for it, until a request that has failed is repeated.
  [[nodiscard]] virtual bool node_in_doubt(const detail::hold& one) const = 0;
  /// Its node was seen gone: its loss is to be told, if the servers say so once more.
  virtual void look_after(const detail::hold& one, engine::out& wants) = 0;

 protected:
  ~hold_nodes() = default;
};

}  // namespace zklock::operations
