#pragma once

#include <sys/types.h>

#include "src/cli/process_tree.hpp"
#include "src/cli/process_tree_terminator.hpp"

namespace zklock::cli {

/// COMMAND with all that it has started, and what ends it.
struct guarded_tree {
  explicit guarded_tree(pid_t leader) : processes(leader) {}
  guarded_tree(const guarded_tree&) = delete;
  guarded_tree& operator=(const guarded_tree&) = delete;
  ~guarded_tree() = default;

  process_tree processes;
  process_tree_terminator ending{processes};
};

}  // namespace zklock::cli
