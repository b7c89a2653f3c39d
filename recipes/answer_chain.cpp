#include "recipes/answer_chain.hpp"

#include <algorithm>

namespace zklock::recipes {

using std::chrono::nanoseconds;

void answer_chain::clear() noexcept {
  answers_.clear();
  latest_.reset();
}

std::optional<instant> answer_chain::proven_by(instant sent_at, nanoseconds relay_delay) {
  const answer* const j = last_seen_by(sent_at);
  const answer* const i = j != nullptr ? last_seen_by(j->sent_at - relay_delay) : nullptr;
  if (i == nullptr) {
    return std::nullopt;
  }
  while (!answers_.empty() && answers_.front().sent_at < i->sent_at) {
    answers_.pop_front();
  }
  return i->sent_at;
}

void answer_chain::keep(const answer& one, nanoseconds apart) {
  latest_ = one;
  if (answers_.empty() || one.sent_at - answers_.back().sent_at >= apart) {
    answers_.push_back(one);
  }
}

std::optional<instant> answer_chain::provable(nanoseconds relay_delay) const {
  const answer* const i = latest_ ? last_seen_by(latest_->sent_at - relay_delay) : nullptr;
  return i == nullptr ? std::nullopt : std::optional(i->sent_at);
}

std::optional<answer_chain::answer> answer_chain::first_behind(std::optional<instant> sent_at) const {
  const auto found = std::find_if(answers_.begin(), answers_.end(),
                                  [&](const answer& one) { return !sent_at || one.sent_at > *sent_at; });
  return found == answers_.end() ? std::nullopt : std::optional(*found);
}

const answer_chain::answer* answer_chain::last_seen_by(instant when) const {
  if (latest_ && latest_->seen_at <= when) {
    return &*latest_;
  }
  const auto behind = std::upper_bound(answers_.begin(), answers_.end(), when,
                                       [](instant at, const answer& one) { return at < one.seen_at; });
  return behind == answers_.begin() ? nullptr : &*std::prev(behind);
}

}  // namespace zklock::recipes
