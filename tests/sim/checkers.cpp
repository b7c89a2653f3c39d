#include "tests/sim/checkers.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::sim {
namespace {

constexpr instant sleep_max = std::chrono::seconds(6);
/// A holder that is cut off before it has marked its node delays the next one for a session timeout (F60), and elections
/// lengthen that.
constexpr instant idle_max = std::chrono::seconds(24);

std::string who(int client) { return "c" + std::to_string(client); }

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

enum request_kind : std::size_t { create = 0, list, get, exists, set, remove, sync, multi };

}  // namespace

void checkers::report(std::string checker, std::string what) {
  if (!found_) {
    found_ = violation{std::move(checker), std::move(what)};
  }
}

// ---- what programs ask and are told ---------------------------------------------------------------------------------

void checkers::attempt_begun(int client, std::uint64_t number, std::optional<instant> limit, bool once,
                             const testing::ensemble& servers) {
  note_limits(servers);
  attempts_[{client, number}] = attempt{limit, once, false, instant{-1}, instant{-1}, instant{-1}, limits_};
}

void checkers::id_made(int client, std::string_view id) {
  ids_.emplace(id, client);
  last_id_[client] = id;
}

grant_checker::scene checkers::scene(instant now) const {
  const auto forced_out = [this](const std::string& path) {
    const auto gone = gone_.find(path);
    return gone != gone_.end() && gone->second.by_force;
  };
  return {nodes_, forced_out, now};
}

void checkers::granted(int client, std::uint64_t number, const std::vector<want>& wanted,
                       const std::shared_ptr<detail::hold>& proof, const testing::ensemble& servers) {
  nodes_may_have_changed(servers);
  const instant now = servers.now();
  attempt& mine = attempts_[{client, number}];
  if (std::exchange(mine.over, true)) {
    report("finishes_once", who(client) + " was answered a second time: granted");
  }
  if (mine.limit && now > *mine.limit) {
    report("limit_kept", who(client) + " was granted after its limit");
  }
  ++traffic_[session_of(client)].grants;
  std::vector<std::uint32_t> limits_max;
  for (const want& one : wanted) {
    limits_max.push_back(mine.limits_max[one.lock]);
  }
  grants_.granted(client, wanted, proof, limits_max, scene(now));
}

void checkers::refused(int client, std::uint64_t number, std::error_code why, instant now) {
  attempt& mine = attempts_[{client, number}];
  if (std::exchange(mine.over, true)) {
    report("finishes_once", who(client) + " was answered a second time: " + (why ? why.message() : "not in time"));
  }
  if (mine.limit && now > *mine.limit) {
    report("limit_kept", who(client) + " was answered " + std::to_string((now - *mine.limit).count() / 1'000'000) +
                             " ms after its limit");
  }
  if (std::find(expected_errors_.begin(), expected_errors_.end(), why) != expected_errors_.end()) {
    return;
  }
  const bool lowered =
      std::any_of(traffic_.begin(), traffic_.end(), [](const auto& one) { return one.second.limit_changes > 0; });
  if (why == errc::limit_exceeded && lowered) {
    return;
  }
  const bool told_to = why == errc::abandoned || why == errc::session_closed || why == errc::not_connected || !why;
  if (!told_to) {
    report("everybody_granted", who(client) + " was refused: " + why.message());
  }
  if (!mine.limit && !mine.once && why != errc::abandoned && why != errc::session_closed) {
    report("everybody_granted",
           who(client) + " gave no limit and was refused: " + (why ? why.message() : "not in time"));
  }
}

void checkers::reentered(int client, const detail::hold& proof, bool standing, bool sent_something, instant now) {
  if (sent_something) {
    report("reentry_is_local", who(client) + " has sent a request to re-enter");
  }
  const bool stands = proof.why_lost() == loss_reason::none && now < proof.valid_until();
  if (standing != stands) {
    report("reentry_is_local",
           who(client) + (standing ? " has re-entered a lost hold" : " could not re-enter its hold"));
  }
}

void checkers::given_back(int client, const detail::hold& proof) {
  for (grant_checker::holding& one : grants_.holdings()) {
    if (one.proof.get() == &proof && session_of(one.client) == session_of(client)) {
      one.given_back = true;
    }
  }
}

void checkers::release_answered(int client) {
  if (--releases_awaited_[client] < 0) {
    report("finishes_once", who(client) + "'s release was answered a second time");
  }
}

void checkers::loss_told(int client, const detail::hold& proof) {
  for (grant_checker::holding& one : grants_.holdings()) {
    if (one.proof.get() != &proof || one.client != client) {
      continue;
    }
    if (std::exchange(one.told, true)) {
      report("finishes_once", who(client) + " was told twice of the loss of " + grant_checker::name_of(proof));
    }
    if (proof.why_lost() == loss_reason::none && !one.given_back) {
      report("loss_told", who(client) + " was told of a loss, but still holds " + grant_checker::name_of(proof));
    }
    return;
  }
  report("finishes_once", who(client) + " was told of the loss of what it was never granted");
}

void checkers::look_begun(int client, instant limit, const testing::ensemble& servers) {
  ++traffic_[session_of(client)].looks;
  listings_.begun(client, limit, servers);
}

void checkers::crashed(int client) {
  listings_.crashed(client);
  writes_.crashed(client);
  grants_.crashed(client);
  crashed_.insert(client);
  handle_closed(client);
  for (auto& [key, one] : attempts_) {
    one.over = one.over || key.first == client;
  }
  releases_awaited_.erase(client);
}

void checkers::continued(int client, instant now) {
  stopped_.erase(client);
  listings_.continued(client, now);
  for (auto& [key, one] : attempts_) {
    if (key.first != client) {
      continue;
    }
    one.sleeps_since = one.entitled_since = instant{-1};
    if (one.limit) {
      one.limit = std::max(*one.limit, now);
    }
  }
}

// ---- what passes the port -------------------------------------------------------------------------------------------

void checkers::asked(int client, const client::any_request& what) {
  traffic& mine = traffic_[client];
  ++mine.by_kind[what.index()];
  const auto count = [&mine](const client::request::create& made) {
    mine.own_creates += made.mode == client::create_mode::ephemeral_sequential ? 1U : 0U;
    mine.of_permits += last_part(made.path).starts_with("permit-") ? 1U : 0U;
  };
  if (const auto* made = std::get_if<client::request::create>(&what)) {
    count(*made);
  }
  if (const auto* several = std::get_if<client::request::multi>(&what)) {
    for (const client::request::operation& one : several->operations) {
      if (const auto* made = std::get_if<client::request::create>(&one)) {
        count(*made);
        mine.multis += made->mode == client::create_mode::ephemeral_sequential ? 1U : 0U;
      }
    }
  }
  const auto* get = std::get_if<client::request::get>(&what);
  if (get != nullptr && get->watch == client::no_watch) {
    ++(is_lock(get->path) ? mine.limits : mine.glances);
  }
}

bool checkers::is_lock(std::string_view path) const {
  return std::any_of(locks_.begin(), locks_.end(), [path](const lock_plan& lock) { return lock.path == path; });
}

void checkers::watch_stands(int client, client::watch_id id, const std::string& path) { watches_[{client, id}] = path; }

void checkers::watch_ended(int client, client::watch_id id, std::optional<client::node_event> by) {
  const auto found = watches_.find({client, id});
  if (found == watches_.end()) {
    return;
  }
  const std::string path = std::move(found->second);
  watches_.erase(found);
  traffic_[client].node_events += by ? 1U : 0U;
  const auto gone = gone_.find(path);
  if (gone == gone_.end()) {
    return;
  }
  gone_node& that = gone->second;
  that.expected.erase(client);
  const auto owner = ids_.find(id_in(last_part(path)));
  const bool own = owner != ids_.end() && owner->second == client;
  const bool counts = by == client::node_event::deleted && !own && !forced_.contains(client);
  if (counts && that.queue.contains(client) && ++that.woken > std::max(1, that.waiters)) {
    report("one_wake_up", "the going of " + path + " has woken " + std::to_string(that.woken) + " waiters");
  }
}

void checkers::session_event(int client, client::connection_state state) {
  ++traffic_[client].session_events;
  if (state != client::connection_state::connected) {
    for (auto& [path, that] : gone_) {
      that.expected.erase(client);  // what it has missed it is told after the reconnect, or it lists
    }
  }
}

void checkers::handle_closed(int client) {
  std::erase_if(watches_, [client](const auto& entry) { return entry.first.first == client; });
  session_event(client, client::connection_state::expired);
}

// ---- what is done to the nodes --------------------------------------------------------------------------------------

void checkers::nodes_may_have_changed(const testing::ensemble& servers) {
  if (servers.last_zxid() == seen_zxid_) {
    return;
  }
  seen_zxid_ = servers.last_zxid();
  listings_.nodes_may_have_changed(servers);
  writes_.nodes_may_have_changed(servers);
  note_limits(servers);
  contender_nodes next, fresh;
  for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
    for (const testing::ensemble::child& child : servers.children(locks_[lock].path)) {
      node made = contender_node_of(lock, child);
      const auto owner = ids_.find(made.id);
      made.client = owner != ids_.end() ? owner->second : -1;
      const std::string path = locks_[lock].path + "/" + child.name;
      if (nodes_.erase(path) == 0) {
        if (made.client >= 0 && !ids_seen_.insert(made.id).second) {
          report("one_node_per_attempt", "a second node of one attempt of " + who(made.client) + ": " + child.name);
        }
        gone_.erase(path);  // the same name again, after force
        fresh.emplace(path, made);
      }
      next.emplace(path, std::move(made));
    }
  }
  most_nodes_ = std::max(most_nodes_, next.size());
  nodes_.swap(next);  // `next` keeps what has gone
  for (const auto& [path, was] : next) {
    node_went(path, was);
  }
  grants_.judge_new_nodes(fresh);
}

void checkers::node_went(const std::string& path, const node& was) {
  gone_node& that = gone_[path];
  that.by_force = by_force_;
  if (by_force_) {
    forced_.insert(was.client);
    ids_removed_.insert(was.id);
    ids_seen_.erase(was.id);  // who has not heard of its first node may make it again
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
    if (locks_[lock].kind != recipe::semaphore) {
      continue;
    }
    const auto limit = recipes::parse_limit(servers.data(locks_[lock].path).value_or(""));
    limits_[lock] = limit ? limit->limit : 0;
    for (auto& [key, one] : attempts_) {
      if (!one.over) {
        one.limits_max[lock] = std::max(one.limits_max[lock], limits_[lock]);
      }
    }
  }
}

// ---- at certain points ----------------------------------------------------------------------------------------------

void checkers::time_has_passed(const testing::ensemble& servers) { grants_.judge_all(scene(servers.now())); }

/// By the nodes alone, whatever it watches. Whoever waits for permits behind somebody who waits too is not the first: a
/// first one that is cut off, or dead, delays it (F60).
bool checkers::is_its_turn(int client, std::uint64_t number, bool& of_permits) const {
  std::size_t standing = 0, parts = 1;
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
    ++standing;
  }
  return standing == parts;
}

void checkers::judge_turn(int client, std::uint64_t number, attempt& one, bool can_tell, instant now) {
  bool of_permits = false;
  if (!can_tell || !is_its_turn(client, number, of_permits)) {
    one.entitled_since = instant{-1};
  } else if (one.entitled_since < instant{0}) {
    one.entitled_since = now;
  } else if (now - one.entitled_since > (of_permits ? idle_max : sleep_max)) {
    report(of_permits ? "no_idle_permit" : "nobody_sleeps", who(client) + " waits, connected, though it is its turn");
  }
}

/// While the limit was lowered, more than one may take itself for the first (F106). What a server that lags has not told
/// yet excuses two for a while.
void checkers::judge_first_waiters(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
  for (const lock_plan& lock : locks_) {
    if (lock.kind != recipe::semaphore) {
      continue;
    }
    const auto limit = recipes::parse_limit(servers.data(lock.path).value_or(""));
    std::set<int> who_watch;
    for (const auto& [key, path] : watches_) {
      if (path == lock.path && connected[static_cast<std::size_t>(key.first)] && servers.queued(key.first) == 0) {
        who_watch.insert(key.first);
      }
    }
    if (!limit || limit->was != limit->limit || who_watch.size() < 2) {
      several_first_since_.erase(lock.path);
    } else if (now - several_first_since_.try_emplace(lock.path, now).first->second > sleep_max) {
      report("one_first_waiter", std::to_string(who_watch.size()) + " clients watch " + lock.path);
    }
  }
}

void checkers::quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
  time_has_passed(servers);
  listings_.quiescent(stopped_, now);
  judge_first_waiters(servers, connected, now);
  for (const grant_checker::holding& one : grants_.holdings()) {
    const bool aware = !crashed_.contains(one.client) && !stopped_.contains(one.client);
    if (!one.given_back && !one.told && aware && now >= one.proof->valid_until()) {
      report("loss_told",
             who(one.client) + " holds " + grant_checker::name_of(*one.proof) + " past its deadline and was not told");
    }
  }
  for (auto& [key, one] : attempts_) {
    if (one.over || stopped_.contains(key.first)) {
      continue;
    }
    if (one.limit && now > *one.limit) {
      report("limit_kept", who(key.first) + " was not answered at its limit");
    }
    const int client = key.first;
    const bool watches = std::any_of(watches_.begin(), watches_.end(), [&, client](const auto& watch) {
      const auto watched = nodes_.find(watch.second);
      return watch.first.first == client &&
             (is_lock(watch.second) || (watched != nodes_.end() && watched->second.id != last_id_[client]));
    });
    const bool can_tell = connected[static_cast<std::size_t>(client)] && servers.queued(session_of(client)) == 0;
    judge_turn(client, key.second, one, can_tell, now);
    judge_own_node(client, one, can_tell, now);
    if (watches || shares_session(client) || !can_tell) {
      one.sleeps_since = instant{-1};
    } else if (one.sleeps_since < instant{0}) {
      one.sleeps_since = now;
    } else if (now - one.sleeps_since > sleep_max) {
      report("nobody_sleeps", who(key.first) + " waits, connected, without a watch on anybody who is there");
    }
  }
}

/// Who waits has a node, or knows that it has gone, and has begun with another one: or it could take the next event for
/// its turn (F104).
void checkers::judge_own_node(int client, attempt& one, bool can_tell, instant now) {
  const std::string& id = last_id_[client];
  const bool stands =
      std::any_of(nodes_.begin(), nodes_.end(), [&id](const auto& each) { return each.second.id == id; });
  if (stands || !ids_removed_.contains(id) || !can_tell || shares_session(client)) {
    one.nodeless_since = instant{-1};
  } else if (one.nodeless_since < instant{0}) {
    one.nodeless_since = now;
  } else if (now - one.nodeless_since > sleep_max) {
    report("own_node_missed", who(client) + " waits on, connected, although its node has gone");
  }
}

int checkers::session_of(int client) const {
  const auto found = hosts_.find(client);
  return found == hosts_.end() ? client : found->second;
}

/// Its threads' watches cannot be told apart from outside.
bool checkers::shares_session(int client) const {
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [client](const auto& one) { return one.first == client || one.second == client; });
}

void checkers::check_requests(int client) {
  const traffic& mine = traffic_[client];
  const auto guests =
      std::count_if(hosts_.begin(), hosts_.end(), [&](const auto& one) { return one.second == client; });
  // Each user of the session may wait in as many queues as there are locks.
  const std::uint64_t disturbed = mine.session_events * static_cast<std::uint64_t>(1 + guests) * locks_.size();
  const std::uint64_t lists = mine.by_kind[request_kind::list];
  const std::uint64_t gets = mine.by_kind[request_kind::get] - mine.glances - mine.limits;
  const std::uint64_t creates = mine.own_creates;
  const std::uint64_t readings =
      (mine.looks + mine.limit_changes) * (1 + disturbed);  // begun again on a new connection
  if (mine.glances > readings * most_nodes_ + mine.multis * (1 + disturbed)) {
    report("requests_bounded", who(client) + " has looked at " + std::to_string(mine.glances) + " nodes");
  }
  // whoever is first in line for permits looks once more with its watches, and whoever has given them their number
  if (lists > creates + mine.of_permits * 2 + mine.node_events + mine.missing + disturbed * 2 + readings) {
    report("requests_bounded", who(client) + " has listed " + std::to_string(lists) + " times, for " +
                                   std::to_string(creates) + " creates and " + std::to_string(mine.node_events) +
                                   " events");
  }
  if (gets > lists * 2 + (mine.grants + mine.multis) * 2 + mine.node_events + disturbed) {
    report("requests_bounded", who(client) + " has set " + std::to_string(gets) + " watches");
  }
}

/// Watches are forgotten in the client: on the lock node of a semaphore, which stays, the server keeps one of each kind.
void checkers::finished(const testing::ensemble& servers, const std::map<int, remains>& left_in_sessions) {
  const auto semaphores =
      std::count_if(locks_.begin(), locks_.end(), [](const lock_plan& lock) { return lock.kind == recipe::semaphore; });
  const auto forgotten_max = static_cast<std::size_t>(semaphores) * 2;
  listings_.finished();
  writes_.finished();
  for (const auto& [key, one] : attempts_) {
    if (!one.over) {
      report(one.limit ? "limit_kept" : "everybody_granted", who(key.first) + " was never answered");
    }
  }
  for (const auto& [client, count] : releases_awaited_) {
    if (count != 0) {
      report("finishes_once", "a release of " + who(client) + " was never answered");
    }
  }
  for (const auto& [name, one] : nodes_) {
    report("nothing_left", "contender " + name + " was left behind");
  }
  for (const auto& [client, left] : left_in_sessions) {
    if (left.contenders != 0 || left.watches != 0) {
      report("nothing_left", who(client) + "'s session keeps " + std::to_string(left.contenders) + " contenders and " +
                                 std::to_string(left.watches) + " watches");
    }
    const testing::ensemble::watch_counts watches = servers.watches(client);
    if (watches.in_client != 0 || watches.on_servers > forgotten_max) {
      report("nothing_left", std::to_string(watches.in_client) + " watches of " + who(client) +
                                 " are left in the client, " + std::to_string(watches.on_servers) + " on servers");
    }
    if (servers.queued(client) != 0) {
      report("nothing_left", "something of " + who(client) + " is still queued");
    }
    check_requests(client);
  }
  for (const auto& [path, that] : gone_) {
    for (const int client : that.expected) {
      if (!crashed_.contains(client)) {
        report("one_wake_up", who(client) + " watched " + path + ", and was not told that it went");
      }
    }
  }
}

void checkers::never_finished(const testing::ensemble&) {
  for (const auto& [key, one] : attempts_) {
    if (!one.over) {
      report(one.limit || one.once ? "limit_kept" : "everybody_granted", who(key.first) + " still waits");
    }
  }
  for (const auto& [name, one] : nodes_) {
    report("nothing_left", "contender " + name + " was left behind");
  }
  report("nothing_left", "the world has not come to rest");
}

}  // namespace zklock::sim
