#include "recipes/participants_round.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace zklock::recipes {
namespace {

/// At once: enough that the way to the server is not what takes the time, and no burst however long the queue is.
constexpr std::size_t looks_under_way_max = 128;

/// Of a node's name below the path: without its directory.
std::string_view own_name(std::string_view name) { return name.substr(name.rfind('/') + 1); }

bool in_line(const seen_contender& one) { return one.kind == contender_kind::lease && one.permits == 0; }

/// The first in line for a lease may have made it already. Then it waits for room with it, and is shown once: as that
/// lease.
void merge_first_in_line_with_its_lease(std::vector<seen_contender>& queue) {
  const auto first = std::find_if(queue.begin(), queue.end(), in_line);
  if (first == queue.begin() || first == queue.end()) {
    return;
  }
  seen_contender& last = *(first - 1);
  if (last.kind == contender_kind::lease && stands_twice({first->session, first->czxid}, {last.session, last.czxid})) {
    last.told.mode = contender_mode::permit;
    queue.erase(first);
  }
}

/// Says of each whether it holds, and as what it stands there.
void judge(std::vector<seen_contender>& queue, const std::optional<permit_limit>& limit,
           const std::optional<std::uint32_t>& lease_limit) {
  std::vector<queued> judged;
  judged.reserve(queue.size());
  for (const seen_contender& one : queue) {
    judged.push_back({std::string(own_name(one.name)), one.kind, one.permits, one.told.mode, one.as});
  }
  const std::vector<bool> holds = holders_of(judged, limit, lease_limit);
  for (std::size_t place = 0; place < queue.size(); ++place) {
    queue[place].holds = holds[place];
    queue[place].kind = kind_of(judged[place]);
  }
}

}  // namespace

sought_contenders sought_contenders_of(const acquire_spec& one) noexcept {
  const bool makes_leases = one.kind == contender_kind::permit && one.as == layout::curator;
  return {makes_leases ? contender_kind::lease : one.kind, one.as, one.limit};
}

/// Of every recipe: whether there are leases the path's own children will tell.
participants_round::participants_round(const sought_contenders& of)
    : sought_(of), reads_limit_(!of.kind || of.kind == contender_kind::permit) {
  if (of.kind == contender_kind::lease) {
    list_semaphore();
  } else {
    lists_.emplace_back();
  }
}

/// A contender that has made a lease leaves the line afterwards: listed in this order, none slips through.
void participants_round::list_semaphore() {
  lists_.push_back(curator_locks);
  lists_.push_back(curator_leases);
}

void participants_round::fail(code answer) {
  failure_ = answer;
  state_ = classify(answer) == outcome::not_done ? state::refused : state::interrupted;
}

void participants_round::synced(code answer) {
  if (answer != code::ok) {
    fail(answer);
  }
}

void participants_round::listed(code answer, names_view children) {
  if (state_ != state::under_way) {
    return;
  }
  if (answer != code::ok && answer != code::no_node) {
    fail(answer);
    return;
  }
  note_listed(lists_[answered_lists_++], children);
  if (all_listed()) {
    begin_to_look();
  }
}

std::optional<std::string_view> participants_round::next_list() {
  if (state_ != state::under_way || next_list_ == lists_.size()) {
    return std::nullopt;
  }
  return lists_[next_list_++];
}

void participants_round::note_listed(std::string_view below, names_view children) {
  if (!sought_.kind && below.empty() &&
      std::find(children.begin(), children.end(), curator_leases.substr(1)) != children.end()) {
    list_semaphore();
  }
  const bool line = below == curator_locks;
  const bool leases = below == curator_leases;
  const auto listed = line ? contender_kind::mutex : leases ? contender_kind::lease : sought_.kind;
  const layout as = leases ? layout::curator : sought_.as;
  std::vector<seen_contender> found;
  for (queued& one : queue_among(children, listed, as)) {
    const std::string folder = below.empty() ? "" : std::string(below.substr(1)) + "/";
    found.push_back({.name = folder + one.name, .kind = one.kind, .as = one.as, .permits = one.permits});
    if (line) {
      found.back().kind = contender_kind::lease;
      found.back().as = layout::curator;
    }
  }
  // The leases stand before the contenders that wait for them, though they are listed after these.
  const auto before = leases ? std::find_if(queue_.begin(), queue_.end(), in_line) : queue_.end();
  queue_.insert(before, std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

void participants_round::begin_to_look() {
  known_.resize(queue_.size(), sought_.names_only ? knowledge::hidden : knowledge::none);
  next_ = sought_.names_only ? queue_.size() : 0;
  complete_if_all_is_known();
}

void participants_round::limit_read(code answer, std::string_view data) {
  if (state_ != state::under_way) {
    return;
  }
  switch (answer) {
    case code::ok: limit_ = parse_limit(data); break;
    case code::no_node:
    case code::no_auth: break;  // which contenders are marked as granted is known all the same
    default: fail(answer);
  }
}

std::optional<participants_round::node_request> participants_round::next_node() {
  if (state_ != state::under_way || !all_listed() || under_way_ == looks_under_way_max) {
    return std::nullopt;
  }
  if (!hidden_.empty()) {
    const std::size_t place = hidden_.back();
    hidden_.pop_back();
    ++under_way_;
    return node_request{place, false};
  }
  if (next_ == queue_.size()) {
    return std::nullopt;
  }
  ++under_way_;
  return node_request{next_++, true};
}

void participants_round::node_read(std::size_t place, code answer, const node_origin& origin, std::string_view data) {
  if (state_ != state::under_way) {
    return;
  }
  --under_way_;
  switch (answer) {
    case code::ok:
      known_[place] = knowledge::all;
      queue_[place].czxid = origin.czxid;
      queue_[place].session = origin.session;
      queue_[place].told = parse_contender_data(data, own_name(queue_[place].name));
      break;
    case code::no_node: known_[place] = knowledge::gone; break;
    case code::no_auth:
      if (known_[place] == knowledge::none) {
        hidden_.push_back(place);
      }
      known_[place] = knowledge::hidden;
      queue_[place].hidden = true;
      break;
    default: fail(answer); return;
  }
  complete_if_all_is_known();
}

void participants_round::complete_if_all_is_known() {
  if (all_listed() && under_way_ == 0 && hidden_.empty() && next_ == queue_.size()) {
    state_ = state::complete;
  }
}

std::vector<seen_contender> participants_round::take(std::int64_t session) {
  std::vector<seen_contender> there;
  for (std::size_t place = 0; place < queue_.size(); ++place) {
    if (known_[place] != knowledge::gone) {
      there.push_back(std::move(queue_[place]));
    }
  }
  merge_first_in_line_with_its_lease(there);
  judge(there, limit_, sought_.lease_limit == 0 ? std::nullopt : std::optional(sought_.lease_limit));
  for (seen_contender& one : there) {
    one.of_this_session = one.session != 0 && one.session == session;
  }
  return there;
}

}  // namespace zklock::recipes
