#pragma once

#include <vector>

#include <zklock/queue.hpp>

#include "src/cli/lock_kind.hpp"

namespace zklock::cli {

/// The participants that a client waits for when it wants `wanted` and has `ahead`, first come first, before itself in
/// the lock's queue. None: the client is to get the lock.
[[nodiscard]] std::vector<participant> blocking_participants(std::vector<participant> ahead, const lock_kind& wanted);

}  // namespace zklock::cli
