#pragma once

#include "recipes/curator_semaphore.hpp"
#include "recipes/mutex.hpp"
#include "recipes/read_write_lock.hpp"
#include "recipes/semaphore.hpp"

namespace zklock::recipes {

/// The policy by which contenders of that kind go.
[[nodiscard]] inline queue_policy policy_of(contender_kind of) noexcept {
  switch (of) {
    case contender_kind::read: return read_policy;
    case contender_kind::write: return write_policy;
    case contender_kind::permit: return permit_policy;
    case contender_kind::lease: return lease_policy;
    case contender_kind::mutex:
    case contender_kind::latch:
    case contender_kind::foreign: break;
  }
  return mutex_policy;
}

}  // namespace zklock::recipes
