#pragma once

#include <vector>

namespace zklock::cli {

/// Knows the files that this process has opened since: they are not the child's. (The C client's socket and pipe are
/// not marked so by itself, and a child that keeps them would keep them beyond our end.) What was open before, as a
/// script's `3<file`, goes on to the child.
class own_descriptors {
 public:
  own_descriptors();

  /// Marks them to be closed in children. Call it right before one is started.
  void keep_from_children() const;

 private:
  std::vector<int> inherited_;
};

}  // namespace zklock::cli
