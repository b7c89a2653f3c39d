// What must hold of waiters and holders whenever nothing is under way.
#include <algorithm>

#include "recipes/permit_limit.hpp"
#include "tests/sim/checkers.hpp"
#include "tests/sim/client_name.hpp"

namespace zklock::sim {
namespace {

/// Replies of servers that lag, and answers that prove a deadline, come within two seconds; of long ticks, and when the
/// connection is lost meanwhile, within four.
constexpr instant sleep_max = std::chrono::seconds(5);
/// A holder that is cut off before it has marked its node delays the next one for a session timeout (F60): 6 s at the
/// most.
constexpr instant idle_max = std::chrono::seconds(10);

}  // namespace

/// By the nodes alone, whatever it watches. A contender that waits for permits behind another waiter is not the first:
/// a first one that is cut off, or dead, delays it (F60).
bool checkers::is_its_turn(int client, std::uint64_t number, bool& of_permits) const {
  std::size_t present = 0, parts = 1;  // parts that are taken in turn: each that stands is needed
  for (const auto& [path, one] : nodes_) {
    if (one.user != client || one.attempt != number) {
      continue;
    }
    if (!may_pass(nodes_, one, limits_[one.lock])) {
      return false;
    }
    if (one.kind == recipes::contender_kind::permit) {
      of_permits = true;
      const auto waits_before = [this, &one = one](const auto& other) {
        return has_to_go_first(other.second, one) && !grants_.was_granted(other.first);
      };
      if (std::any_of(nodes_.begin(), nodes_.end(), waits_before)) {
        return false;
      }
    }
    parts = one.parts;
    ++present;
  }
  return parts == 0 ? present > 0 : present == parts;
}

void checkers::judge_turn(int client, std::uint64_t number, attempt& one, bool can_tell, instant now) {
  bool of_permits = false;
  if (!can_tell || !is_its_turn(client, number, of_permits)) {
    one.entitled_since = instant{-1};
  } else if (one.entitled_since < instant{0}) {
    one.entitled_since = now;
  } else if (now - one.entitled_since > (of_permits ? idle_max : sleep_max)) {
    report(of_permits ? "no_idle_permit" : "no_waiter_sleeps",
           client_name(client) + " waits, connected, though it is its turn");
  }
}

/// While the limit was lowered, more than one may take itself for the first (F106). What a server that lags has not
/// told yet excuses two for a while.
void checkers::judge_first_waiters(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
  for (const lock_node& lock : lock_nodes_) {
    if (!is_watched_by_first_waiters(lock.path)) {
      continue;
    }
    auto limit = recipes::parse_limit(servers.data(lock.path).value_or(""));
    if (is_of_leases(locks_[lock.lock])) {
      limit = recipes::permit_limit{limits_[lock.lock], limits_[lock.lock]};
    }
    std::set<int> watching_clients;
    for (const auto& [key, path] : watches_) {
      if (path == lock.path && connected[static_cast<std::size_t>(key.first)] &&
          servers.view().queued(key.first) == 0) {
        watching_clients.insert(key.first);
      }
    }
    if (!limit || limit->was != limit->limit || watching_clients.size() < 2) {
      several_first_since_.erase(lock.path);
    } else if (now - several_first_since_.try_emplace(lock.path, now).first->second > sleep_max) {
      report("one_first_waiter", std::to_string(watching_clients.size()) + " clients watch " + lock.path);
    }
  }
}

void checkers::quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
  time_has_passed(servers);
  participants_.quiescent(stopped_, now);
  values_.quiescent(servers, connected, now);
  leaders_.quiescent(servers, connected, now);
  judge_first_waiters(servers, connected, now);
  for (const grant_checker::holding& one : grants_.holdings()) {
    const bool aware = !crashed_.contains(one.client) && !stopped_.contains(one.client);
    if (!one.was_released && !one.told && aware && now >= one.hold->valid_until()) {
      report("loss_told", client_name(one.client) + " holds " + grant_checker::name_of(*one.hold) +
                              " past its deadline and was not told");
    }
  }
  for (auto& [key, one] : attempts_) {
    if (one.over || stopped_.contains(key.first)) {
      continue;
    }
    if (one.limit && now > *one.limit) {
      report("limit_kept", client_name(key.first) + " was not answered at its limit");
    }
    const int client = key.first;
    const bool watches =
        std::any_of(watches_.begin(), watches_.end(), [&, client, attempt = key.second](const auto& watch) {
          const auto watched = nodes_.find(watch.second);
          const bool own = watched != nodes_.end() && watched->second.user == client &&
                           watched->second.attempt == attempt &&  // of its parts, too: those are no predecessors
                           !is_ghost(watched->second);
          return watch.first.first == client &&
                 (is_watched_by_first_waiters(watch.second) || (watched != nodes_.end() && !own));
        });
    const bool can_tell = connected[static_cast<std::size_t>(client)] && servers.view().queued(session_of(client)) == 0;
    judge_turn(client, key.second, one, can_tell, now);
    judge_own_node(client, key.second, one, can_tell, now);
    note_limits_known(one, can_tell, now);
    if (watches || shares_session(client) || !can_tell) {
      one.sleeps_since = instant{-1};
    } else if (one.sleeps_since < instant{0}) {
      one.sleeps_since = now;
    } else if (now - one.sleeps_since > sleep_max) {
      report("no_waiter_sleeps", client_name(key.first) + " waits, connected, without a watch on a node that is there");
    }
  }
}

/// Whether its attempt has a newer node in the same queue: then it is of a session that was given up, and is waited
/// for.
bool checkers::is_ghost(const contender_node& one) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&one](const auto& each) {
    const contender_node& other = each.second;
    return other.user == one.user && other.attempt == one.attempt && other.lock == one.lock && other.id != one.id &&
           other.czxid > one.czxid;
  });
}

/// A waiter has a node, or knows that it has gone and has begun with another one. Otherwise it could take the next
/// event for its turn (F104).
void checkers::judge_own_node(int client, std::uint64_t number, attempt& one, bool can_tell, instant now) {
  const auto stands = std::count_if(nodes_.begin(), nodes_.end(), [client, number](const auto& each) {
    return each.second.user == client && each.second.attempt == number;
  });
  // more: of a session that it has given up
  const bool sound = stands == 0 || in_turn(locks_, one.wanted) ? !one.node_removed : stands >= std::ssize(one.wanted);
  if (sound || !can_tell) {
    one.nodeless_since = instant{-1};
  } else if (one.nodeless_since < instant{0}) {
    one.nodeless_since = now;
  } else if (now - one.nodeless_since > sleep_max) {
    report("own_node_missed", client_name(client) + " waits on, connected, although its node has gone");
  }
}

/// A waiter that is in touch with the servers for a while goes by no limit of before: when it is the first, it has the
/// one in force, and until then it passes by none. (A multi-lock's part that may pass has its permits, whatever the others
/// wait for.)
void checkers::note_limits_known(attempt& one, bool can_tell, instant now) {
  if (!can_tell || one.wanted.size() > 1) {
    one.in_touch_since = instant{-1};
  } else if (one.in_touch_since < instant{0}) {
    one.in_touch_since = now;
  } else if (now - one.in_touch_since > sleep_max) {
    one.limits_max = limits_;
  }
}

}  // namespace zklock::sim
