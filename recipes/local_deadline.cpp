#include "recipes/local_deadline.hpp"

#include <algorithm>

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
  *this = local_deadline(timeouts_);
  timeouts_.open(adopted);
  pace_ = beat_pace(now);
  if (!adopted) {
    failed_ = now;
  }
}

std::optional<instant> local_deadline::connected(nanoseconds granted) {
  answers_.clear();
  reconnected_ = failed_;
  if (!timeouts_.granted(granted) || !latest_sent_) {
    return std::nullopt;
  }
  // A connection with this timeout can have been asked for right behind the last answer: CONNECTED may be a late word of it.
  return deadline_from(*latest_sent_);
}

void local_deadline::sent(std::uint64_t request, request_kind kind, instant now) {
  pending_.push_back({request, kind, now});
  pace_.sent(kind, now);
}

std::optional<instant> local_deadline::answered(std::uint64_t request, instant now) {
  const std::optional<pending> asked = take(request);
  if (!asked || timeout().count() == 0) {
    return std::nullopt;
  }
  pace_.proven(asked->kind);
  raise(latest_sent_, asked->sent_at);
  if (asked->kind == request_kind::write) {
    raise(written_, asked->sent_at);
  }
  if (reconnected_) {
    raise(heard_, *reconnected_);
  }
  if (const auto proven = answers_.proven_by(asked->sent_at, terms().relay_delay())) {
    raise(heard_, *proven);
  }
  answers_.keep({asked->sent_at, now}, timeout() / kept_per_timeout);
  if (!heard_ || !written_) {
    return std::nullopt;
  }
  return deadline_from(std::min(*heard_, *written_));
}

void local_deadline::failed(std::uint64_t request, bool connection_lost) {
  const std::optional<pending> asked = take(request);
  if (!asked) {
    return;
  }
  if (connection_lost) {
    raise(failed_, asked->sent_at);
  } else {
    pace_.refused(asked->kind, asked->sent_at);
  }
}

instant local_deadline::deadline_from(instant heard) const {
  return heard + terms().certain_timeout() - terms().margin;
}

nanoseconds local_deadline::gain_of_another() const {
  const auto& latest = answers_.latest();
  const bool one_is_under_way = latest && !pending_.empty() && pending_.back().sent_at >= latest->seen_at;
  const bool several_are = pending_.size() > 1;  // each of which would have another one behind it, for ever
  const auto provable = answers_.provable(terms().relay_delay());
  if (one_is_under_way || several_are || !provable) {
    return {};
  }
  return std::max(*provable - heard_.value_or(instant{0}), nanoseconds{0});
}

std::optional<instant> local_deadline::next_step() const {
  const auto newer = answers_.first_behind(heard_);
  return newer ? std::optional(newer->seen_at + terms().relay_delay()) : std::nullopt;
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
