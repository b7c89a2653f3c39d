#pragma once

#include <thread>

#include "src/cli/lock_kind.hpp"
#include "src/cli/named_locks.hpp"

namespace zklock::cli {

/// Says on stderr for whom the lock is waited for, when it was waited for a moment: from the construction on, until it
/// is destroyed. Once: of several PATHs, of the first where somebody is in our way. Uses both arguments until then.
class waiting_notice {
 public:
  waiting_notice(const named_locks& locks, const lock_kind& kind);

 private:
  std::jthread telling_;
};

}  // namespace zklock::cli
