#pragma once

#include <cstdint>

namespace zklock::recipes {

/// How much was gone through, so that tests can assert bounds of it: never a time.
struct effort {
  std::uint64_t names = 0;  ///< of children, parsed
  std::uint64_t calls = 0;  ///< of operations, by the engine; each contender is one
};

/// Of all that this thread has done.
inline constinit thread_local effort effort_of_thread;

}  // namespace zklock::recipes
