#pragma once

#include <vector>

#include <zklock/queue.hpp>

#include "src/cli/lock_kind.hpp"

namespace zklock::cli {

/// For whom somebody waits who wants `wanted` and has `ahead`, first come first, before himself in the lock's queue.
/// Nobody: the lock is to be his.
[[nodiscard]] std::vector<participant> in_our_way(std::vector<participant> ahead, const lock_kind& wanted);

}  // namespace zklock::cli
