#include "tests/sim/checkers.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::sim {
namespace {

constexpr instant sleep_max = std::chrono::seconds(6);

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

void checkers::attempt_begun(int client, std::uint64_t number, std::optional<instant> limit, bool once) {
  attempts_[{client, number}] = attempt{limit, once, false, instant{-1}};
}

void checkers::id_made(int client, std::string_view id) {
  ids_.emplace(id, client);
  last_id_[client] = id;
}

bool checkers::holds(const holding& one, instant now) const {
  // without asking held_at(), which has consequences of its own
  return !one.given_back && one.proof->why_lost() == loss_reason::none && now < one.proof->valid_until() &&
         !crashed_.contains(one.client);
}

std::string checkers::name_of(const detail::hold& proof) const {
  return proof.node() + " (token " + std::to_string(proof.token().value) + ")";
}

void checkers::granted(int client, std::uint64_t number, const std::shared_ptr<detail::hold>& proof,
                       const testing::ensemble& servers) {
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
  const auto forced_out = gone_.find(proof->node());
  const bool excused = forced_out != gone_.end() && forced_out->second.by_force;
  const std::int64_t token = proof->token().value;
  if (!excused) {
    for (const holding& other : holdings_) {
      const auto gone = gone_.find(other.proof->node());
      if (holds(other, now) && !(gone != gone_.end() && gone->second.by_force)) {
        report("one_holder", who(client) + " was granted " + name_of(*proof) + " while " + who(other.client) +
                                 " holds " + name_of(*other.proof));
      }
    }
    for (const auto& [name, other] : nodes_) {
      if (other.client >= 0 && other.czxid < token) {
        report("one_holder", who(client) + " was granted " + name_of(*proof) + " while " + name + " of " +
                                 who(other.client) + ", created before, still stands");
      }
    }
    if (token <= last_token_) {
      report("tokens_rise",
             who(client) + " was granted token " + std::to_string(token) + " after " + std::to_string(last_token_));
    }
  }
  last_token_ = std::max(last_token_, token);
  holdings_.push_back({client, proof, false, false});
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
  for (holding& one : holdings_) {
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
  for (holding& one : holdings_) {
    if (one.proof.get() != &proof || one.client != client) {
      continue;
    }
    if (std::exchange(one.told, true)) {
      report("finishes_once", who(client) + " was told twice of the loss of " + name_of(proof));
    }
    if (proof.why_lost() == loss_reason::none && !one.given_back) {
      report("loss_told", who(client) + " was told of a loss, but still holds " + name_of(proof));
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
    one.sleeps_since = instant{-1};
    if (one.limit) {
      one.limit = std::max(*one.limit, now);
    }
  }
}

// ---- what passes the port -------------------------------------------------------------------------------------------

void checkers::asked(int client, const client::any_request& what) {
  traffic& mine = traffic_[client];
  ++mine.by_kind[what.index()];
  if (const auto* made = std::get_if<client::request::create>(&what)) {
    mine.own_creates += made->mode == client::create_mode::ephemeral_sequential ? 1U : 0U;
  }
  const auto* get = std::get_if<client::request::get>(&what);
  mine.glances += get != nullptr && get->watch == client::no_watch ? 1U : 0U;
}

void checkers::watch_stands(int client, client::watch_id id, const std::string& path) { watches_[{client, id}] = path; }

void checkers::watch_ended(int client, client::watch_id id, bool by_event) {
  const auto found = watches_.find({client, id});
  if (found == watches_.end()) {
    return;
  }
  const std::string path = std::move(found->second);
  watches_.erase(found);
  traffic_[client].node_events += by_event ? 1U : 0U;
  const auto gone = gone_.find(path);
  if (gone == gone_.end()) {
    return;
  }
  gone_node& that = gone->second;
  if (that.expected == client) {
    that.expected.reset();
  }
  const auto owner = ids_.find(last_part(path).substr(0, 32));
  const bool own = owner != ids_.end() && owner->second == client;
  if (by_event && !own && that.queue.contains(client) && ++that.woken > 1) {
    report("one_wake_up", "the going of " + path + " has woken " + std::to_string(that.woken) + " waiters");
  }
}

void checkers::session_event(int client, client::connection_state state) {
  ++traffic_[client].session_events;
  if (state != client::connection_state::connected) {
    for (auto& [path, that] : gone_) {
      if (that.expected == client) {
        that.expected.reset();  // what it has missed it is told after the reconnect, or it lists
      }
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
  const std::vector<testing::ensemble::child> now = servers.children(lock_);
  std::map<std::string, node, std::less<>> next;
  for (const auto& child : now) {
    if (const auto known = nodes_.find(child.name); known != nodes_.end()) {
      next.insert(nodes_.extract(known));
      continue;
    }
    node made;
    made.czxid = child.czxid;
    made.id = child.name.substr(0, 32);
    if (const auto owner = ids_.find(made.id); owner != ids_.end()) {
      made.client = owner->second;
      if (!ids_seen_.insert(made.id).second) {
        report("one_node_per_attempt", "a second node of one attempt of " + who(made.client) + ": " + child.name);
      }
    }
    gone_.erase(lock_ + "/" + child.name);  // the same name again, after force
    next.emplace(child.name, std::move(made));
  }
  most_nodes_ = std::max(most_nodes_, next.size());
  nodes_.swap(next);  // `next` keeps what has gone
  for (const auto& [name, was] : next) {
    gone_node& that = gone_[lock_ + "/" + name];
    that.by_force = by_force_;
    if (by_force_) {
      ids_seen_.erase(was.id);  // who has not heard of its first node may make it again
    }
    for (const auto& [other_name, other] : nodes_) {
      if (other.client >= 0 && other.client != was.client) {
        that.queue.insert(other.client);
      }
    }
    for (const auto& [key, path] : watches_) {
      if (key.first != was.client && path == lock_ + "/" + name && that.queue.contains(key.first)) {
        that.expected = key.first;
      }
    }
  }
}

// ---- at certain points ----------------------------------------------------------------------------------------------

void checkers::time_has_passed(const testing::ensemble& servers) {
  const instant now = servers.now();
  int holders = 0;
  for (const holding& one : holdings_) {
    const auto gone = gone_.find(one.proof->node());
    holders += holds(one, now) && !(gone != gone_.end() && gone->second.by_force) ? 1 : 0;
  }
  if (holders > 1) {
    report("one_holder", std::to_string(holders) + " hold at once");
  }
}

void checkers::quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
  time_has_passed(servers);
  listings_.quiescent(stopped_, now);
  for (const holding& one : holdings_) {
    const bool aware = !crashed_.contains(one.client) && !stopped_.contains(one.client);
    if (!one.given_back && !one.told && aware && now >= one.proof->valid_until()) {
      report("loss_told", who(one.client) + " holds " + name_of(*one.proof) + " past its deadline and was not told");
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
      const auto watched = nodes_.find(last_part(watch.second));
      return watch.first.first == client && watched != nodes_.end() && watched->second.id != last_id_[client];
    });
    if (watches || shares_session(client) || !connected[static_cast<std::size_t>(client)] ||
        servers.queued(client) != 0) {
      one.sleeps_since = instant{-1};
    } else if (one.sleeps_since < instant{0}) {
      one.sleeps_since = now;
    } else if (now - one.sleeps_since > sleep_max) {
      report("nobody_sleeps", who(key.first) + " waits, connected, without a watch on anybody who is there");
    }
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
  const std::uint64_t disturbed = mine.session_events * static_cast<std::uint64_t>(1 + guests);
  const std::uint64_t lists = mine.by_kind[request_kind::list];
  const std::uint64_t gets = mine.by_kind[request_kind::get] - mine.glances;
  const std::uint64_t creates = mine.own_creates;
  const std::uint64_t readings = mine.looks * (1 + disturbed);  // each begins again on a new connection
  if (mine.glances > readings * most_nodes_) {
    report("requests_bounded", who(client) + " has looked at " + std::to_string(mine.glances) + " nodes");
  }
  if (lists > creates + mine.node_events + mine.missing + disturbed * 2 + readings) {
    report("requests_bounded", who(client) + " has listed " + std::to_string(lists) + " times, for " +
                                   std::to_string(creates) + " creates and " + std::to_string(mine.node_events) +
                                   " events");
  }
  if (gets > lists * 2 + mine.grants * 2 + mine.node_events + disturbed) {
    report("requests_bounded", who(client) + " has set " + std::to_string(gets) + " watches");
  }
}

void checkers::finished(const testing::ensemble& servers, const std::map<int, remains>& left_in_sessions) {
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
    if (watches.in_client != 0 || watches.on_servers != 0) {
      report("nothing_left", std::to_string(watches.in_client) + " watches of " + who(client) +
                                 " are left in the client, " + std::to_string(watches.on_servers) + " on servers");
    }
    if (servers.queued(client) != 0) {
      report("nothing_left", "something of " + who(client) + " is still queued");
    }
    check_requests(client);
  }
  for (const auto& [path, that] : gone_) {
    if (that.expected && !crashed_.contains(*that.expected)) {
      report("one_wake_up", who(*that.expected) + " watched " + path + ", and was not told that it went");
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
