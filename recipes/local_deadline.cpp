#include "recipes/local_deadline.hpp"

#include <algorithm>
#include <utility>

namespace zklock::recipes {
namespace {

using std::chrono::nanoseconds;

/// Answers that are kept stand at least this part of the timeout apart: a busy session needs no more of them.
constexpr int kept_per_timeout = 1024;

template <class Instant>
void raise(std::optional<Instant>& to_at_least, Instant value) {
  to_at_least = std::max(to_at_least.value_or(value), value);
}

}  // namespace

void local_deadline::opened(instant now, bool adopted) {
  *this = local_deadline(deadline_wishes(wishes_));
  asked_ = adopted ? asked_unknown : wishes_.timeout;
  last_sent_ = now;
  if (!adopted) {
    failed_ = now;
  }
}

std::optional<instant> local_deadline::connected(nanoseconds granted) {
  answers_.clear();
  latest_.reset();
  first_is_due_ = true;
  reconnected_ = failed_;
  if (asked_ == asked_unknown || granted > asked_) {
    raised_to_ = std::max(raised_to_, granted);
  }
  asked_ = asked_ == asked_unknown ? asked_unknown : granted;  // when it connects again, the client asks for it
  longest_ = std::max(longest_, granted);
  const nanoseconds before = terms_.timeout;
  const nanoseconds least = before.count() > 0 ? std::min(before, granted) : granted;
  const bool raised = raised_to_.count() > 0;
  const nanoseconds assumed = assumed_tick(raised ? raised_to_ : least, raised);
  terms_ = terms_of(least, wishes_.tick.count() > 0 ? wishes_.tick : assumed, wishes_.margin);
  if (least >= before || !latest_sent_) {
    return std::nullopt;
  }
  // A connection with this timeout can have been asked for right behind the last answer: CONNECTED may be a late word of it.
  return deadline_from(*latest_sent_);
}

void local_deadline::sent(std::uint64_t request, request_kind kind, instant now) {
  pending_.push_back({request, kind, now});
  last_sent_ = now;
  if (kind == request_kind::write) {
    last_write_sent_ = now;
  }
}

std::optional<instant> local_deadline::answered(std::uint64_t request, instant now) {
  const std::optional<pending> asked = take(request);
  if (!asked || terms_.timeout.count() == 0) {
    return std::nullopt;
  }
  raise(latest_sent_, asked->sent_at);
  if (asked->kind == request_kind::write) {
    raise(written_, asked->sent_at);
  }
  if (std::exchange(first_is_due_, false) && reconnected_) {
    raise(heard_, *reconnected_);
  }
  note_chain(asked->sent_at);
  keep({asked->sent_at, now});
  if (!heard_ || !written_) {
    return std::nullopt;
  }
  return deadline_from(std::min(*heard_, *written_));
}

void local_deadline::failed(std::uint64_t request, bool connection_lost) {
  const std::optional<pending> asked = take(request);
  if (asked && connection_lost) {
    raise(failed_, asked->sent_at);
  }
}

instant local_deadline::deadline_from(instant heard) const { return heard + terms_.certain_timeout() - terms_.margin; }

/// `sent_at` is k's: j is the last one whose answer was seen by then, i the last one that was answered a relay delay before j.
void local_deadline::note_chain(instant sent_at) {
  const answer* const j = last_seen_by(sent_at);
  const answer* const i = j != nullptr ? last_seen_by(j->sent_at - terms_.relay_delay()) : nullptr;
  if (i == nullptr) {
    return;
  }
  raise(heard_, i->sent_at);
  while (answers_.front().sent_at < i->sent_at) {
    answers_.pop_front();
  }
}

const local_deadline::answer* local_deadline::last_seen_by(instant when) const {
  if (latest_ && latest_->seen_at <= when) {
    return &*latest_;
  }
  const auto behind = std::upper_bound(answers_.begin(), answers_.end(), when,
                                       [](instant at, const answer& one) { return at < one.seen_at; });
  return behind == answers_.begin() ? nullptr : &*std::prev(behind);
}

void local_deadline::keep(const answer& one) {
  latest_ = one;
  if (answers_.empty() || one.sent_at - answers_.back().sent_at >= terms_.timeout / kept_per_timeout) {
    answers_.push_back(one);
  }
}

nanoseconds local_deadline::gain_of_another() const {
  const bool one_is_under_way = latest_ && !pending_.empty() && pending_.back().sent_at >= latest_->seen_at;
  if (!latest_ || one_is_under_way) {
    return {};
  }
  const answer* const i = last_seen_by(latest_->sent_at - terms_.relay_delay());
  return i == nullptr ? nanoseconds{0} : std::max(i->sent_at - heard_.value_or(instant{0}), nanoseconds{0});
}

std::optional<instant> local_deadline::next_step() const {
  const auto newer = std::find_if(answers_.begin(), answers_.end(),
                                  [this](const answer& one) { return !heard_ || one.sent_at > *heard_; });
  return newer == answers_.end() ? std::nullopt : std::optional(newer->seen_at + terms_.relay_delay());
}

bool local_deadline::lacks_write(instant now) const {
  const bool proven = written_ && deadline_from(*written_) > now;
  return !proven && std::none_of(pending_.begin(), pending_.end(),
                                 [](const pending& one) { return one.kind == request_kind::write; });
}

std::optional<local_deadline::pending> local_deadline::take(std::uint64_t request) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [request](const pending& entry) { return entry.request == request; });
  if (found == pending_.end()) {
    return std::nullopt;
  }
  const pending asked = *found;
  pending_.erase(found);
  return asked;
}

}  // namespace zklock::recipes
