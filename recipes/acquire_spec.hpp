#pragma once

#include <cstdint>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {

/// What a contender wants of its lock.
struct acquire_spec {
  contender_kind kind = contender_kind::mutex;
  std::uint32_t permits = 1;  ///< of a semaphore
  std::uint32_t limit = 0;    ///< that the semaphore must have, and is given if it has none; 0: whatever it has
  bool agreed = false;        ///< it was compared before: a waiter goes by what the limit becomes
  layout as = layout::native;
  bool below =
      false;  ///< the lock node stands below the path that names the lock: no contender may stand right under that
};

/// Why a contender was refused: what the caller is told.
enum class refusal : std::uint8_t {
  none,
  not_in_time,            ///< its limit has passed, or it was one try and another contender is before it
  abandoned,              ///< its caller does not want it any more
  closed,                 ///< the session object is being closed
  wrong_recipe,           ///< the lock node is used by another recipe
  exhausted,              ///< the lock node's sequence counter is near its end, or has given a number twice
  no_permit_limit,        ///< the semaphore's lock node does not say how many permits there are
  permit_limit_mismatch,  ///< it says another number than the one wanted
  permit_limit_exceeded,  ///< more permits are wanted than there are
  too_many_watches,       ///< no watch can be afforded on this handle
  server_error,           ///< a server has refused a request: `contender::refused_with()`
  not_a_permit_limit,     ///< the semaphore's lock node has data that says something else
};

}  // namespace zklock::recipes
