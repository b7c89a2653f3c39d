#include "recipes/local_deadline.hpp"

#include <algorithm>

namespace zklock::recipes {

std::chrono::nanoseconds margin_of(std::chrono::nanoseconds wanted, std::chrono::nanoseconds asked,
                                   std::chrono::nanoseconds granted) noexcept {
  const std::chrono::nanoseconds least = granted > asked ? granted / 3 : std::chrono::nanoseconds{0};
  return std::min(std::max(wanted.count() > 0 ? wanted : granted / 6, least), granted / 2);
}

void local_deadline::connected(std::chrono::nanoseconds timeout, std::chrono::nanoseconds margin) {
  disconnected();
  timeout_ = timeout;
  margin_ = margin;
}

void local_deadline::disconnected() {
  pending_.clear();
  answered_.clear();
  last_sent_.reset();
}

void local_deadline::reset() {
  disconnected();
  runs_since_.reset();
  timeout_ = {};
  margin_ = {};
}

void local_deadline::sent(std::uint64_t request, instant now) {
  pending_.push_back({request, now});
  last_sent_ = now;
}

std::optional<instant> local_deadline::answered(std::uint64_t request, instant now) {
  const auto sent_at = take(request);
  if (!sent_at || timeout_.count() == 0) {
    return std::nullopt;
  }
  const std::optional<instant> touched = known_to_leader(*sent_at);
  answered_.push_back({*sent_at, now});
  if (!touched) {
    return std::nullopt;
  }
  return *touched + timeout_ - margin_;
}

std::optional<instant> local_deadline::known_to_leader(instant sent_at) {
  std::optional<instant> touched;
  while (answered_.size() > 1 && answered_[1].answered_at <= sent_at - timeout_ / 6) {
    answered_.pop_front();
  }
  if (!answered_.empty() && answered_.front().answered_at <= sent_at - timeout_ / 6) {
    touched = std::min(answered_.back().sent_at, answered_.front().sent_at + timeout_ / 6);
  }
  const instant pinged = sent_at - timeout_ / 3;
  if ((!runs_since_ || *runs_since_ <= pinged) && (!touched || *touched < pinged)) {
    touched = pinged;
  }
  return touched;
}

void local_deadline::stood_still(instant now) { runs_since_ = now; }

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
