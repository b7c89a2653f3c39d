#pragma once

#include <thread>

#include "src/cli/lock_kind.hpp"
#include "src/cli/named_locks.hpp"

namespace zklock::cli {

/// Says on stderr which contender we wait for, once the wait has lasted a moment: from the construction on, until it is
/// destroyed. Says it once: of several PATHs, for the first where a contender is in our way. Uses both arguments until
/// then.
class waiting_notice {
 public:
  waiting_notice(const named_locks& locks, const lock_kind& kind);

 private:
  std::jthread telling_;
};

}  // namespace zklock::cli
