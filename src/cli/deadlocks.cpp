#include "src/cli/deadlocks.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace zklock::cli {
namespace {

constexpr std::size_t none = SIZE_MAX;

/// Of one process: its number, where it has no other name; in one session, or in all of it.
using owner_key = std::tuple<std::string, std::int64_t, std::int64_t, std::uint64_t>;  // host, session, process, number

/// A call waits, or has been granted, with all the nodes of one creation: of a multi-lock there are several.
struct call {
  std::size_t owner = none;
  bool waits = false;
  bool unsure = false;  ///< it may hold, or be refused when its turn comes
  bool stuck = false;
};
struct owner {
  bool moves = false;                ///< it has done something between the passes
  std::vector<std::size_t> waits{};  ///< calls
  bool stuck = false;                ///< all of its calls that wait are
};
struct place {
  const participant* is = nullptr;
  std::size_t of_call = none;
  bool stands = false;  ///< in both passes, in the same state
};
struct queue {
  const detail::inspected_lock* of = nullptr;
  std::vector<place> places{};
};

/// What stands in the way of those behind, of one layout: a mutex is of both.
struct barrier {
  const place* mutex = nullptr;
  const place* reader = nullptr;
  const place* writer = nullptr;
  const place* permit = nullptr;
  std::int64_t permits = 0;
};

/// Of which participants a list does not tell whether they wait: of a semaphore whose limit was lowered, holders that have not
/// marked their nodes, and waiters for more than there is, who are refused when their turn comes.
std::vector<bool> unsure_of(const detail::inspected_lock& lock) {
  const std::vector<participant>& queue = lock.lock.participants;
  std::vector<bool> unsure(queue.size(), false);
  std::int64_t permits = 0;
  bool may_hold_behind = false;
  const auto natives = [](const participant& one) {
    return one.kind == participant_kind::permits && one.layout != layout::curator;
  };
  for (std::size_t at = 0; at < queue.size(); ++at) {
    if (natives(queue[at]) && lock.lock.permit_limit) {
      permits += queue[at].permits;
      unsure[at] = queue[at].state == participant_state::waiting &&
                   (permits <= lock.permits_at_most || queue[at].permits > *lock.lock.permit_limit);
    }
  }
  for (std::size_t at = queue.size(); at-- > 0;) {
    unsure[at] = unsure[at] || (may_hold_behind && natives(queue[at]) && queue[at].state == participant_state::waiting);
    may_hold_behind = may_hold_behind || (natives(queue[at]) && (queue[at].state == participant_state::held));
  }
  return unsure;
}

class wait_graph {
 public:
  /// `by_process`: sessions with one host and process number are one process's.
  wait_graph(std::span<const detail::inspected_lock> first, std::span<const detail::inspected_lock> second,
             bool by_process) {
    std::map<std::string_view, const participant*> before;
    for (const detail::inspected_lock& lock : first) {
      for (const participant& one : lock.lock.participants) {
        before.emplace(one.node, &one);
      }
    }
    std::map<owner_key, std::size_t> owners;
    for (const detail::inspected_lock& lock : second) {
      add(lock, before, owners, by_process);
    }
    for (const detail::inspected_lock& lock : first) {  // what is there no more
      for (std::size_t at = 0; at < lock.lock.participants.size(); ++at) {
        const auto key = key_of(lock, at, by_process);
        const auto found = key ? owners.find(*key) : owners.end();
        if (before.contains(lock.lock.participants[at].node) && found != owners.end()) {
          owners_[found->second].moves = true;
        }
      }
    }
    find_stuck();
  }

  [[nodiscard]] std::vector<deadlock> circles() const;
  /// Nodes of calls that are barred for ever.
  [[nodiscard]] std::set<std::string> stuck_nodes() const {
    std::set<std::string> nodes;
    for (const queue& each : queues_) {
      for (const place& one : each.places) {
        if (calls_[one.of_call].stuck) {
          nodes.insert(one.is->node);
        }
      }
    }
    return nodes;
  }

 private:
  static std::optional<owner_key> key_of(const detail::inspected_lock& lock, std::size_t at, bool by_process) {
    const participant& one = lock.lock.participants[at];
    const std::int64_t session = lock.nodes[at].session;
    if (!one.owner || !one.pid || session == 0) {
      return std::nullopt;
    }
    return owner_key{one.host, by_process ? 0 : session, *one.pid, *one.owner};
  }

  void add(const detail::inspected_lock& lock, std::map<std::string_view, const participant*>& before,
           std::map<owner_key, std::size_t>& owners, bool by_process);
  void find_stuck();
  /// Whether one that waits is barred for ever, and by what.
  struct verdict {
    bool barred = false;
    const place* by = nullptr;
  };
  template <class Visit>
  void walk(const queue& of, Visit&& visit) const;
  [[nodiscard]] bool may_leave(const place& one) const {
    const call& its = calls_[one.of_call];
    if (!one.stands || (its.waits && !its.stuck)) {
      return true;
    }
    return !its.waits && (its.owner == none || !owners_[its.owner].stuck);
  }

  std::vector<queue> queues_;
  std::vector<call> calls_;
  std::vector<owner> owners_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> call_of_;  ///< by session and czxid
};

void wait_graph::add(const detail::inspected_lock& lock, std::map<std::string_view, const participant*>& before,
                     std::map<owner_key, std::size_t>& owners, bool by_process) {
  queue& all = queues_.emplace_back();
  all.of = &lock;
  const std::vector<bool> unsure = unsure_of(lock);
  for (std::size_t at = 0; at < lock.lock.participants.size(); ++at) {
    const participant& one = lock.lock.participants[at];
    const std::pair<std::int64_t, std::int64_t> creation{lock.nodes[at].session, one.token.czxid};
    const auto [found, is_new] =
        one.token.czxid == 0 ? std::pair{call_of_.end(), true} : call_of_.try_emplace(creation, calls_.size());
    const std::size_t number = is_new ? calls_.size() : found->second;
    if (is_new) {
      calls_.emplace_back();
    }
    const auto seen = before.find(one.node);
    const bool stands = !unsure[at] && seen != before.end() && one.token.czxid != 0 &&
                        seen->second->token == one.token && seen->second->state == one.state &&
                        seen->second->kind == one.kind;
    call& its = calls_[number];
    its.unsure = its.unsure || unsure[at];
    its.waits = its.waits || one.state == participant_state::waiting;
    if (const auto key = key_of(lock, at, by_process)) {
      const auto owned = owners.try_emplace(*key, owners_.size());
      if (owned.second) {
        owners_.emplace_back();
      }
      its.owner = owned.first->second;
      owners_[its.owner].moves = owners_[its.owner].moves || !stands;
    }
    if (stands) {
      before.erase(seen);
    }
    all.places.push_back({&one, number, stands});
  }
}

/// The greatest set of calls each of which stays barred, even if all others end: begun with all that wait, less those that
/// get in when what may leave has left.
void wait_graph::find_stuck() {
  for (queue& each : queues_) {
    for (const place& one : each.places) {
      calls_[one.of_call].stuck = calls_[one.of_call].waits && !calls_[one.of_call].unsure;
    }
  }
  for (std::size_t number = 0; number < calls_.size(); ++number) {
    if (const call& one = calls_[number]; one.waits && one.owner != none) {
      owners_[one.owner].waits.push_back(number);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (owner& one : owners_) {
      one.stuck =
          !one.moves && !one.waits.empty() &&
          std::all_of(one.waits.begin(), one.waits.end(), [this](std::size_t its) { return calls_[its].stuck; });
    }
    std::vector<bool> barred(calls_.size(), false);
    for (const queue& each : queues_) {
      walk(each, [&](const place& one, const verdict& is) { barred[one.of_call] = barred[one.of_call] || is.barred; });
    }
    for (std::size_t number = 0; number < calls_.size(); ++number) {
      if (calls_[number].stuck && !barred[number]) {
        calls_[number].stuck = false;
        changed = true;
      }
    }
  }
}

/// `visit` gets each that waits, in the order of the queue.
template <class Visit>
void wait_graph::walk(const queue& of, Visit&& visit) const {
  barrier natives, curators;
  for (const place& one : of.places) {
    const participant& is = *one.is;
    barrier& before = is.layout == layout::curator ? curators : natives;
    verdict now;
    switch (is.kind) {
      case participant_kind::mutex:
      case participant_kind::latch: now.by = before.mutex; break;
      case participant_kind::read: now.by = before.writer; break;
      case participant_kind::write: now.by = before.writer != nullptr ? before.writer : before.reader; break;
      case participant_kind::permits: now.by = before.permit; break;
    }
    const bool few = is.kind == participant_kind::permits && of.of->lock.permit_limit &&
                     before.permits + is.permits > *of.of->lock.permit_limit;
    now.barred = is.kind == participant_kind::permits ? few : now.by != nullptr;
    if (is.state == participant_state::waiting && one.stands) {
      visit(one, now);
    }
    if (may_leave(one)) {
      continue;
    }
    // the first one: a holder, where there is one
    const auto note = [&one](const place*& first) { first = first != nullptr ? first : &one; };
    switch (is.kind) {
      case participant_kind::mutex:
      case participant_kind::latch: note(before.mutex); break;
      case participant_kind::read: note(before.reader); break;
      case participant_kind::write: note(before.writer); break;
      case participant_kind::permits:
        note(before.permit);
        before.permits += is.permits;
        break;
    }
  }
}

/// From each call that is stuck to one that it waits for, which is stuck as well: such a path comes back to where it was.
std::vector<deadlock> wait_graph::circles() const {
  struct next_call {
    const queue* at = nullptr;
    const place* waits = nullptr;
    const place* blocks = nullptr;
    std::size_t to = none;
  };
  std::vector<next_call> next(calls_.size());
  for (const queue& each : queues_) {
    walk(each, [&](const place& one, const verdict& is) {
      if (!calls_[one.of_call].stuck || !is.barred || is.by == nullptr || next[one.of_call].to != none) {
        return;
      }
      const call& blocks = calls_[is.by->of_call];
      next[one.of_call] = {&each, &one, is.by, blocks.waits ? is.by->of_call : owners_[blocks.owner].waits.front()};
    });
  }
  std::vector<deadlock> found;
  std::vector<std::size_t> leads_to(calls_.size(), none);  // which circle; nowhere: it is not stuck
  std::vector<std::size_t> walked(calls_.size(), none);    // from where
  constexpr std::size_t nowhere = none - 1;
  for (std::size_t from = 0; from < calls_.size(); ++from) {
    std::vector<std::size_t> path;
    std::size_t at = from;
    while (at != none && leads_to[at] == none && walked[at] != from) {
      walked[at] = from;
      path.push_back(at);
      at = next[at].to;
    }
    std::size_t circle = at == none ? nowhere : leads_to[at];
    auto begin = path.end();
    if (circle == none) {
      circle = found.size();
      begin = std::find(path.begin(), path.end(), at);
      deadlock& now = found.emplace_back();
      std::transform(begin, path.end(), std::back_inserter(now.circle), [&next](std::size_t each) {
        return circle_step{next[each].at->of->lock.path, *next[each].waits->is, *next[each].blocks->is};
      });
    }
    if (circle != nowhere) {
      found[circle].behind += static_cast<std::size_t>(begin - path.begin());
    }
    for (const std::size_t each : path) {
      leads_to[each] = circle;
    }
  }
  return found;
}

}  // namespace

/// What is stuck in a session has to be so among all sessions of its process, where one of them is.
std::vector<deadlock> find_deadlocks(std::span<const detail::inspected_lock> first,
                                     std::span<const detail::inspected_lock> second) {
  const wait_graph by_process(first, second, true);
  const std::set<std::string> stuck = by_process.stuck_nodes();
  std::set<std::string> told;
  std::vector<deadlock> found;
  for (deadlock& one : wait_graph(first, second, false).circles()) {
    if (std::all_of(one.circle.begin(), one.circle.end(),
                    [&stuck](const circle_step& step) { return stuck.contains(step.waits.node); })) {
      std::transform(one.circle.begin(), one.circle.end(), std::inserter(told, told.end()),
                     [](const circle_step& step) { return step.waits.node; });
      found.push_back(std::move(one));
    }
  }
  for (deadlock& one : by_process.circles()) {
    if (std::none_of(one.circle.begin(), one.circle.end(),
                     [&told](const circle_step& step) { return told.contains(step.waits.node); })) {
      one.of_one_session_each = false;
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace zklock::cli
