#include "src/cli/blocking_participants.hpp"

#include <cstdint>

namespace zklock::cli {

std::vector<participant> blocking_participants(std::vector<participant> ahead, const lock_kind& wanted) {
  if (wanted.of == lock_kind::recipe::shared) {
    std::erase_if(ahead, [](const participant& one) { return one.kind == participant_kind::read; });
  }
  if (wanted.of == lock_kind::recipe::semaphore) {
    std::uint64_t permits = wanted.permits;
    for (const participant& one : ahead) {
      permits += static_cast<std::uint64_t>(one.permits);
    }
    if (permits <= wanted.limit) {
      ahead.clear();
    }
  }
  return ahead;
}

}  // namespace zklock::cli
