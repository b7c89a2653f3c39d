#include "src/api/hold_counts.hpp"

#include <utility>

namespace zklock::detail {

hold_counts::remainder hold_counts::release_count(side of) noexcept {
  if (in(of).taken == 0) {
    return remainder::held;
  }
  const bool wrote = !reads_only();
  --in(of).taken;
  return left(wrote);
}

hold_counts::remainder hold_counts::release_locked(side of) noexcept {
  --in(of).locked;
  return release_count(of);
}

hold_counts::remainder hold_counts::release_all_locked() noexcept {
  const bool wrote = !reads_only();
  for (counts* const some : {&other_, &reading_}) {
    some->taken -= std::exchange(some->locked, 0);
  }
  return left(wrote);
}

bool hold_counts::downgrade() noexcept {
  if (other_.taken != 1) {
    return false;
  }
  other_ = {};
  ++reading_.taken;
  return true;
}

/// After counts have gone. `wrote`: there were others than of reading before.
hold_counts::remainder hold_counts::left(bool wrote) const noexcept {
  if (other_.taken > 0 || (reading_.taken > 0 && !wrote)) {
    return remainder::held;
  }
  return reading_.taken > 0 ? remainder::read : remainder::nothing;
}

}  // namespace zklock::detail
