#include "src/session/inspection.hpp"

#include <utility>

#include "recipes/listing.hpp"

namespace zklock::detail {
namespace {

/// At once: enough that the way to the server is not what takes the time, and no burst however long the queue is.
constexpr std::size_t looks_under_way_max = 128;

/// Says of each whether it holds, and as what it stands there.
void judge(std::vector<seen_contender>& queue, const std::optional<recipes::permit_limit>& limit) {
  std::vector<recipes::queued> judged;
  judged.reserve(queue.size());
  for (const seen_contender& one : queue) {
    judged.push_back({{}, one.kind, one.permits, one.told.mode});
  }
  const std::vector<bool> holds = recipes::holders_of(judged, limit);
  for (std::size_t place = 0; place < queue.size(); ++place) {
    queue[place].holds = holds[place];
    queue[place].kind = recipes::kind_of(judged[place]);
  }
}

}  // namespace

void queue_reading::fail(client::code answer) {
  failure_ = answer;
  state_ = recipes::classify(answer) == recipes::outcome::not_done ? state::refused : state::interrupted;
}

void queue_reading::synced(client::code answer) {
  if (answer != client::code::ok) {
    fail(answer);
  }
}

void queue_reading::listed(client::reply&& answer) {
  if (state_ != state::under_way) {
    return;
  }
  if (answer.code != client::code::ok && answer.code != client::code::no_node) {
    fail(answer.code);
    return;
  }
  for (recipes::queued& one : recipes::queue_among(std::move(answer.children), recipe_)) {
    queue_.push_back({std::move(one.name), 0, {}, one.kind, one.permits, false});
  }
  known_.resize(queue_.size(), knowledge::none);
  listed_ = true;
  settle();
}

void queue_reading::limit_read(const client::reply& answer) {
  if (state_ != state::under_way) {
    return;
  }
  switch (answer.code) {
    case client::code::ok: limit_ = recipes::parse_limit(answer.data); break;
    case client::code::no_node:
    case client::code::no_auth: break;  // who has marked itself as granted is known all the same
    default: fail(answer.code);
  }
}

std::optional<queue_reading::look> queue_reading::next_look() {
  if (state_ != state::under_way || !listed_ || under_way_ == looks_under_way_max) {
    return std::nullopt;
  }
  if (!hidden_.empty()) {
    const std::size_t place = hidden_.back();
    hidden_.pop_back();
    ++under_way_;
    return look{place, false};
  }
  if (next_ == queue_.size()) {
    return std::nullopt;
  }
  ++under_way_;
  return look{next_++, true};
}

void queue_reading::looked(std::size_t place, const client::reply& answer) {
  if (state_ != state::under_way) {
    return;
  }
  --under_way_;
  switch (answer.code) {
    case client::code::ok:
      known_[place] = knowledge::all;
      queue_[place].czxid = answer.stat.czxid;
      queue_[place].told = recipes::parse_contender_data(answer.data);
      break;
    case client::code::no_node: known_[place] = knowledge::gone; break;
    case client::code::no_auth:
      if (known_[place] == knowledge::none) {
        hidden_.push_back(place);
      }
      known_[place] = knowledge::hidden;
      break;
    default: fail(answer.code); return;
  }
  settle();
}

void queue_reading::settle() {
  if (listed_ && under_way_ == 0 && hidden_.empty() && next_ == queue_.size()) {
    state_ = state::complete;
  }
}

std::vector<seen_contender> queue_reading::take() {
  std::vector<seen_contender> there;
  for (std::size_t place = 0; place < queue_.size(); ++place) {
    if (known_[place] != knowledge::gone) {
      there.push_back(std::move(queue_[place]));
    }
  }
  judge(there, limit_);
  return there;
}

}  // namespace zklock::detail
