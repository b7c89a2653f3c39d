#include "recipes/granted_timeouts.hpp"

#include <algorithm>

namespace zklock::recipes {

using std::chrono::nanoseconds;

void granted_timeouts::open(bool adopted) noexcept {
  terms_ = {};
  asked_ = adopted ? asked_unknown : wishes_.timeout;
  greatest_ = {};
  raised_to_ = {};
}

bool granted_timeouts::granted(nanoseconds timeout) {
  if (asked_ == asked_unknown || timeout > asked_) {
    raised_to_ = std::max(raised_to_, timeout);
  }
  asked_ = asked_ == asked_unknown ? asked_unknown : timeout;  // when it connects again, the client asks for it
  greatest_ = std::max(greatest_, timeout);
  const nanoseconds before = terms_.timeout;
  const nanoseconds least = before.count() > 0 ? std::min(before, timeout) : timeout;
  const bool raised = raised_to_.count() > 0;
  const nanoseconds assumed = assumed_tick(raised ? raised_to_ : least, raised);
  terms_ = terms_of(least, wishes_.tick.count() > 0 ? wishes_.tick : assumed, wishes_.margin);
  return least < before;
}

}  // namespace zklock::recipes
