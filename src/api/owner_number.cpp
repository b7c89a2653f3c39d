#include "src/api/owner_number.hpp"

#include <atomic>

namespace zklock::detail {

owner_number new_owner_number() noexcept {
  static std::atomic<owner_number> last{no_owner};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace zklock::detail
