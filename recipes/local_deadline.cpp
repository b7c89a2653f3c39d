#include "recipes/local_deadline.hpp"

#include <algorithm>

namespace zklock::recipes {

void local_deadline::connected(std::chrono::nanoseconds timeout, std::chrono::nanoseconds margin) {
  disconnected();
  timeout_ = timeout;
  margin_ = margin;
}

void local_deadline::disconnected() {
  pending_.clear();
  previous_.reset();
  last_sent_.reset();
}

void local_deadline::reset() {
  disconnected();
  timeout_ = {};
  margin_ = {};
}

void local_deadline::sent(std::uint64_t request, instant now) {
  pending_.push_back({request, now});
  last_sent_ = now;
}

std::optional<instant> local_deadline::answered(std::uint64_t request) {
  const auto sent_at = take(request);
  if (!sent_at || timeout_.count() == 0) {
    return std::nullopt;
  }
  const instant proven = std::max(previous_.value_or(instant::min()), *sent_at - timeout_ / 3);
  previous_ = sent_at;
  return proven + timeout_ - margin_;
}

void local_deadline::failed(std::uint64_t request) { take(request); }

std::optional<instant> local_deadline::take(std::uint64_t request) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [request](const pending& entry) { return entry.request == request; });
  if (found == pending_.end()) {
    return std::nullopt;
  }
  const instant sent_at = found->sent_at;
  pending_.erase(pending_.begin(), found + 1);
  return sent_at;
}

}  // namespace zklock::recipes
