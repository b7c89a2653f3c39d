// What the leader has: how the contenders' nodes and the limits changed, and what must hold of that.
#include <algorithm>
#include <utility>

#include "recipes/permit_limit.hpp"
#include "tests/sim/checkers.hpp"
#include "tests/sim/client_name.hpp"

namespace zklock::sim {
void checkers::nodes_may_have_changed(const testing::ensemble& servers) {
  if (servers.last_zxid() == seen_zxid_) {
    return;
  }
  seen_zxid_ = servers.last_zxid();
  participants_.nodes_may_have_changed(servers);
  writes_.nodes_may_have_changed(servers);
  values_.nodes_may_have_changed(servers);
  leaders_.nodes_may_have_changed(servers);
  note_limits(servers);
  contender_nodes next, fresh;
  contender_nodes gone = nodes_;
  for (const lock_node& parent : lock_nodes_) {
    for (const testing::ensemble::child& child : servers.children(parent.path)) {
      node made = contender_node_of(parent.lock, child);
      const auto owner = ids_.find(made.id);
      made.client = owner != ids_.end() ? owner->second : -1;
      const std::string path = parent.path + "/" + child.name;
      if (gone.erase(path) == 0) {
        note_contender(made, path);
        fresh.emplace(path, made);
      } else {
        made.place = nodes_.at(path).place;
      }
      next.emplace(path, std::move(made));
    }
  }
  most_nodes_ = std::max(most_nodes_, next.size());
  nodes_.swap(next);
  for (const auto& [path, was] : gone) {
    node_went(path, was);
  }
  note_waits();
  grants_.judge_new_nodes(fresh);
}

/// A writer in Curator's layout may go on as a reader, once, and at its own place in the queue.
void checkers::note_contender(node& fresh, const std::string& path) {
  gone_.erase(path);  // the same name again, after force
  const node* const writer = writer_of(nodes_, path);
  if (writer != nullptr) {
    fresh.place = writer->place;
  }
  const std::string id = writer != nullptr ? fresh.id + " as a reader" : fresh.id;
  if (fresh.client >= 0 && !ids_seen_.insert(id).second) {
    report("one_node_per_attempt", "a second node of one attempt of " + client_name(fresh.client) + ": " + path);
  }
  if (const auto whose = attempts_.find({fresh.user, fresh.attempt}); whose != attempts_.end()) {
    whose->second.node_removed = false;
  }
}

/// An acquire that tries once may be refused then: by its node, or before it has one.
void checkers::note_waits() {
  std::set<std::pair<int, std::uint64_t>> with_node;
  for (const auto& [path, one] : nodes_) {
    used_.insert(one.lock);
    with_node.emplace(one.user, one.attempt);
    const auto whose = attempts_.find({one.user, one.attempt});
    if (whose != attempts_.end() && !may_pass(nodes_, one, limits_[one.lock])) {
      whose->second.had_to_wait = true;
    }
  }
  for (auto& [key, one] : attempts_) {
    if (one.once && !one.over && one.wanted.size() == 1 && !with_node.contains(key) && would_wait(one.wanted.front())) {
      one.had_to_wait = true;
    }
  }
}

/// One that came now.
bool checkers::would_wait(const want& what) const {
  using kind = recipes::contender_kind;
  if (may_lag_ && used_.contains(what.lock)) {
    return true;
  }
  if (is_of_leases(locks_[what.lock])) {
    const auto leases = std::count_if(nodes_.begin(), nodes_.end(), [&what](const auto& one) {
      return one.second.kind == kind::lease && one.second.lock == what.lock;
    });
    return static_cast<std::uint64_t>(leases) + what.permits > limits_[what.lock];
  }
  node made;
  made.lock = what.lock;
  made.kind = what.of == detail::side::read    ? kind::read
              : what.of == detail::side::write ? kind::write
              : what.of == detail::side::whole ? kind::mutex
                                               : kind::permit;
  made.permits = what.permits;
  made.place = INT64_MAX;
  return !may_pass(nodes_, made, limits_[what.lock]);
}

void checkers::node_went(const std::string& path, const node& was) {
  gone_node& that = gone_[path];
  that.by_force = by_force_;
  if (by_force_) {
    forced_.insert(was.client);
    if (const auto whose = attempts_.find({was.user, was.attempt}); whose != attempts_.end()) {
      whose->second.node_removed = true;
      // the limit may have gone with the lock node: it counts as what it was
      const std::uint32_t limit = limits_[was.lock] != 0 ? limits_[was.lock] : whose->second.limits_max[was.lock];
      if (!may_pass(nodes_, was, limit)) {
        whose->second.removed_in_wait = path;
      }
    }
    ids_seen_.erase(was.id);  // a client that has not heard of its first node may make it again
  }
  that.waiters = waiters_behind(nodes_, was);
  for (const auto& [other_path, other] : nodes_) {
    if (other.client >= 0 && other.client != was.client) {
      that.queue.insert(other.client);
    }
  }
  for (const auto& [key, watched] : watches_) {
    if (key.first != was.client && watched == path && that.queue.contains(key.first)) {
      that.expected.insert(key.first);
    }
  }
}

void checkers::note_limits(const testing::ensemble& servers) {
  for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
    if (is_of_leases(locks_[lock])) {
      limits_[lock] = locks_[lock].limit;
    }
    if (locks_[lock].kind != recipe::semaphore || is_of_leases(locks_[lock])) {
      continue;
    }
    const auto limit = recipes::parse_limit(servers.data(locks_[lock].path).value_or(""));
    const std::uint32_t before = std::exchange(limits_[lock], limit ? limit->limit : 0);
    for (auto& [key, one] : attempts_) {
      if (!one.over && limits_[lock] != before) {
        one.limits_max[lock] = std::max(one.limits_max[lock], limits_[lock]);
        one.limits_min[lock] = std::min(one.limits_min[lock], limits_[lock]);
        one.in_touch_since = instant{-1};
      }
    }
  }
}

}  // namespace zklock::sim
