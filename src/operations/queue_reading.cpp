#include "src/operations/queue_reading.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/zookeeper/path.hpp"

namespace zklock::detail {
namespace {

/// At once: enough that the way to the server is not what takes the time, and no burst however long the queue is.
constexpr std::size_t looks_under_way_max = 128;

bool in_line(const seen_contender& one) { return one.kind == recipes::contender_kind::lease && one.permits == 0; }

/// Whoever is first in line for a lease and has made it waits for room with it, and is shown once: as that.
void show_once_who_stands_twice(std::vector<seen_contender>& queue) {
  const auto first = std::find_if(queue.begin(), queue.end(), in_line);
  if (first == queue.begin() || first == queue.end()) {
    return;
  }
  seen_contender& last = *(first - 1);
  if (last.kind == recipes::contender_kind::lease &&
      recipes::stands_twice({first->session, first->czxid}, {last.session, last.czxid})) {
    last.told.mode = recipes::contender_mode::permit;
    queue.erase(first);
  }
}

/// Says of each whether it holds, and as what it stands there.
void judge(std::vector<seen_contender>& queue, const std::optional<recipes::permit_limit>& limit,
           std::uint32_t lease_limit) {
  std::vector<recipes::queued> judged;
  judged.reserve(queue.size());
  for (const seen_contender& one : queue) {
    judged.push_back({std::string(base_name(one.name)), one.kind, one.permits, one.told.mode, one.as});
  }
  const std::vector<bool> holds =
      recipes::holders_of(judged, limit, lease_limit == 0 ? std::nullopt : std::optional(lease_limit));
  for (std::size_t place = 0; place < queue.size(); ++place) {
    queue[place].holds = holds[place];
    queue[place].kind = recipes::kind_of(judged[place]);
  }
}

}  // namespace

/// Of every recipe: whether there are leases the path's own children will tell.
queue_reading::queue_reading(const sought_contenders& of) : sought_(of) {
  if (of.recipe == recipes::contender_kind::lease) {
    list_semaphore();
  } else {
    lists_.emplace_back();
  }
}

/// Who has made a lease leaves the line afterwards: listed in this order, nobody slips through.
void queue_reading::list_semaphore() {
  lists_.push_back(recipes::curator_locks);
  lists_.push_back(recipes::curator_leases);
}

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
  note_listed(lists_[answered_lists_++], std::move(answer.children));
  if (answered_lists_ == lists_.size()) {
    begin_to_look();
  }
}

std::optional<std::string_view> queue_reading::next_list() {
  if (state_ != state::under_way || next_list_ == lists_.size()) {
    return std::nullopt;
  }
  return lists_[next_list_++];
}

void queue_reading::note_listed(std::string_view below, std::vector<std::string>&& children) {
  using recipes::contender_kind;
  if (!sought_.recipe && below.empty() &&
      std::find(children.begin(), children.end(), recipes::curator_leases.substr(1)) != children.end()) {
    list_semaphore();
  }
  const bool line = below == recipes::curator_locks;
  const bool leases = below == recipes::curator_leases;
  const auto kind = line ? contender_kind::mutex : leases ? contender_kind::lease : sought_.recipe;
  const recipes::layout as = leases ? recipes::layout::curator : sought_.as;
  std::vector<seen_contender> found;
  for (recipes::queued& one : recipes::queue_among(std::move(children), kind, as)) {
    const std::string folder = below.empty() ? "" : std::string(below.substr(1)) + "/";
    found.push_back({.name = folder + one.name, .kind = one.kind, .as = one.as, .permits = one.permits});
    if (line) {
      found.back().kind = contender_kind::lease;
      found.back().as = recipes::layout::curator;
    }
  }
  // The leases stand before those who wait for them, though they are listed after them.
  const auto before = leases ? std::find_if(queue_.begin(), queue_.end(), in_line) : queue_.end();
  queue_.insert(before, std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

void queue_reading::begin_to_look() {
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
      queue_[place].session = answer.stat.ephemeral_owner;
      queue_[place].told = recipes::parse_contender_data(answer.data, base_name(queue_[place].name));
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

std::vector<seen_contender> queue_reading::take(std::int64_t session) {
  std::vector<seen_contender> there;
  for (std::size_t place = 0; place < queue_.size(); ++place) {
    if (known_[place] != knowledge::gone) {
      there.push_back(std::move(queue_[place]));
    }
  }
  show_once_who_stands_twice(there);
  judge(there, limit_, sought_.lease_limit);
  for (seen_contender& one : there) {
    one.of_this_session = one.session != 0 && one.session == session;
  }
  return there;
}

}  // namespace zklock::detail
