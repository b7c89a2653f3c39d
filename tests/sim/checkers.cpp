#include "tests/sim/checkers.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "tests/sim/client_name.hpp"

namespace zklock::sim {

void checkers::report(std::string checker, std::string what) {
  if (!found_) {
    found_ = violation{std::move(checker), std::move(what)};
  }
}

// ---- what programs ask and are told ---------------------------------------------------------------------------------

void checkers::attempt_begun(int client, std::uint64_t number, std::optional<instant> limit, bool once,
                             const std::vector<want>& wanted, const testing::ensemble& servers) {
  note_limits(servers);
  attempt& mine = attempts_[{client, number}];
  mine.limit = limit;
  mine.once = once;
  mine.wanted = wanted;
  mine.limits_max = mine.limits_min = limits_;
  mine.had_to_wait = turns_.begun(client, session_of(client), number, wanted) || (once && holds_itself(client, wanted));
  traffic_[session_of(client)].tries += once ? 1U : 0U;
  note_waits();
}

/// Its session knows of an exclusive hold; perhaps not yet that an operator has removed its node.
bool checkers::holds_itself(int client, const std::vector<want>& wanted) {
  return std::any_of(grants_.holdings().begin(), grants_.holdings().end(), [&](const grant_checker::holding& one) {
    return session_of(one.client) == session_of(client) && one.of.lock == wanted.front().lock && !one.told &&
           !one.was_released && one.hold->exclusive() && one.hold->why_lost() == loss_reason::none;
  });
}

void checkers::abandon_begun(int client, std::uint64_t number) { attempts_[{client, number}].abandoned = true; }

void checkers::id_made(int client, std::string_view id) { ids_.emplace(id, client); }

grant_checker::scene checkers::scene(instant now) const {
  const auto forced_out = [this](const std::string& path) {
    const auto gone = gone_.find(path);
    if (gone != gone_.end() || path.find("__READ__") == std::string::npos) {
      return gone != gone_.end() && gone->second.by_force;
    }
    // a writer's node may go before the reader that it is to go on as has come
    return std::any_of(gone_.begin(), gone_.end(), [&path](const auto& writer) {
      return writer.second.by_force && recipes::curator_reader_of(writer.first) == path;
    });
  };
  return {nodes_, forced_out, now};
}

void checkers::granted(int client, std::uint64_t number, const std::vector<want>& wanted,
                       const std::shared_ptr<detail::hold>& hold, const testing::ensemble& servers) {
  nodes_may_have_changed(servers);
  note_ended_untold(servers);
  const instant now = servers.now();
  attempt& mine = attempts_[{client, number}];
  if (std::exchange(mine.over, true)) {
    report("finishes_once", client_name(client) + " was answered a second time: granted");
  }
  if (mine.limit && now > *mine.limit) {
    report("limit_kept", client_name(client) + " was granted after its limit");
  }
  if (hold->node() == mine.removed_in_wait) {
    report("granted_with_a_node",
           client_name(client) + " was granted " + mine.removed_in_wait + ", which was removed in the queue");
  }
  ++traffic_[session_of(client)].grants;
  std::vector<std::uint32_t> limits_max;
  for (const want& one : wanted) {
    limits_max.push_back(mine.limits_max[one.lock]);
  }
  turns_.granted(client, number, *hold, now);
  bounds_.granted(hold, now);
  writes_.granted(*hold, servers);
  grants_.granted(client, wanted, hold, limits_max, scene(now));
}

void checkers::refused(int client, std::uint64_t number, std::error_code why, instant now) {
  attempt& mine = attempts_[{client, number}];
  turns_.refused(client, number);
  if (std::exchange(mine.over, true)) {
    report("finishes_once",
           client_name(client) + " was answered a second time: " + (why ? why.message() : "not in time"));
  }
  if (mine.limit && now > *mine.limit) {
    report("limit_kept", client_name(client) + " was answered " +
                             std::to_string((now - *mine.limit).count() / 1'000'000) + " ms after its limit");
  }
  if (std::find(expected_errors_.begin(), expected_errors_.end(), why) != expected_errors_.end()) {
    return;
  }
  judge_refusal(client, mine, why, now);
}

/// An attempt is refused only by what was asked for, or by what the servers have shown.
void checkers::judge_refusal(int client, const attempt& one, std::error_code why, instant now) {
  const auto can_never_fit = [&one](const want& part) {
    return part.of == detail::side::permits && part.permits > one.limits_min[part.lock];
  };
  const bool in_time = one.once || (one.limit && now >= *one.limit);
  const bool told_to = why == errc::abandoned        ? one.abandoned
                       : why == errc::session_closed ? closed_.contains(session_of(client))
                       : why == errc::permit_limit_exceeded
                           ? std::any_of(one.wanted.begin(), one.wanted.end(), can_never_fit)
                           : (!why || why == errc::not_connected) && in_time;
  if (!told_to) {
    report("everybody_granted", client_name(client) + " was refused: " + (why ? why.message() : "not in time"));
  }
  if (!why && one.once && !one.had_to_wait) {
    report("everybody_granted",
           client_name(client) + " tried once and was refused, though no contender stood before it");
  }
}

void checkers::reentered(int client, const detail::hold& hold, bool entered, bool sent_something, instant now) {
  if (sent_something) {
    report("reentry_is_local", client_name(client) + " has sent a request to re-enter");
  }
  const bool stands = hold.why_lost() == loss_reason::none && now < hold.valid_until();
  if (entered != stands) {
    report("reentry_is_local",
           client_name(client) + (entered ? " has re-entered a lost hold" : " could not re-enter its hold"));
  }
}

void checkers::released(int client, const detail::hold& hold) {
  works_.given_back(client);
  turns_.released(hold);
  bounds_.released(hold);
  for (grant_checker::holding& one : grants_.holdings()) {
    if (one.hold.get() == &hold && session_of(one.client) == session_of(client)) {
      one.was_released = true;
    }
  }
}

void checkers::release_answered(int client, const detail::hold* hold, std::error_code result,
                                const testing::ensemble& servers) {
  nodes_may_have_changed(servers);
  const bool was_lost = hold == nullptr || hold->why_lost() != loss_reason::none ||
                        grant_checker::any_forced_out(*hold, scene(servers.now()));
  if (result == errc::lost && !was_lost) {
    report("release_told_truly", client_name(client) + " was told that " + hold->node() + " was lost, and it was not");
  }
  if (--releases_awaited_[client] < 0) {
    report("finishes_once", client_name(client) + "'s release was answered a second time");
  }
}

void checkers::loss_told(int client, const detail::hold& hold) {
  bounds_.loss_told(hold);
  for (grant_checker::holding& one : grants_.holdings()) {
    if (one.hold.get() != &hold || one.client != client) {
      continue;
    }
    if (std::exchange(one.told, true)) {
      report("finishes_once", client_name(client) + " was told twice of the loss of " + grant_checker::name_of(hold));
    }
    if (hold.why_lost() == loss_reason::none) {
      report("loss_told", client_name(client) + " was told of a loss, but holds still, or has given back, " +
                              grant_checker::name_of(hold));
    }
    return;
  }
  report("finishes_once", client_name(client) + " was told of the loss of what it was never granted");
}

void checkers::session_given_up(int client, std::int64_t session, const testing::ensemble& servers) {
  const auto all = servers.view().sessions();
  const bool by_word = last_event_[client] != client::connection_state::connecting;
  if (!by_word && std::any_of(all.begin(), all.end(), [session](const auto& one) { return one.id == session; })) {
    report("place_kept", client_name(client) + " has given up its session, which the servers have not ended");
  }
}

void checkers::look_begun(int client, instant limit, const testing::ensemble& servers) {
  ++traffic_[session_of(client)].looks;
  participants_.begun(client, limit, servers);
}

void checkers::crashed(int client) {
  participants_.crashed(client);
  values_.crashed(client);
  leaders_.crashed(client);
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
  participants_.continued(client, now);
  for (auto& [key, one] : attempts_) {
    if (key.first != client) {
      continue;
    }
    one.sleeps_since = one.entitled_since = one.nodeless_since = one.in_touch_since = instant{-1};
    if (one.limit) {
      one.limit = std::max(*one.limit, now);
    }
  }
}

bool checkers::is_lock(std::string_view path) const {
  return std::any_of(locks_.begin(), locks_.end(), [path](const lock_plan& lock) { return lock.path == path; });
}

bool checkers::is_watched_by_first_waiters(std::string_view path) const {
  return std::any_of(lock_nodes_.begin(), lock_nodes_.end(), [&](const lock_node& one) {
    const lock_plan& lock = locks_[one.lock];
    const bool of_leases = is_of_leases(lock);
    return one.path == path && lock.kind == recipe::semaphore &&
           (!of_leases || path.ends_with(recipes::curator_leases));
  });
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

// ---- at certain points ----------------------------------------------------------------------------------------------

void checkers::time_has_passed(const testing::ensemble& servers) {
  bounds_.time_is(servers.now());
  note_ended_untold(servers);
  grants_.judge_all(scene(servers.now()));
}

void checkers::note_ended_untold(const testing::ensemble& servers) {
  ended_untold_ = std::any_of(attempts_.begin(), attempts_.end(), [&](const auto& one) {
    return servers.view().ended_untold(session_of(one.first.first));
  });
}

/// Watches are forgotten in the client: on the lock node of a semaphore, which stays, the server keeps one of each
/// kind. A lock node that was taken again and again is watched as long as the session lasts.
void checkers::finished(const testing::ensemble& servers, const std::map<int, remains>& left_in_sessions) {
  const auto semaphores =
      std::count_if(locks_.begin(), locks_.end(), [](const lock_plan& lock) { return lock.kind == recipe::semaphore; });
  const auto forgotten_max = static_cast<std::size_t>(semaphores) * 2 + locks_.size();
  participants_.finished();
  writes_.finished();
  for (const auto& [key, one] : attempts_) {
    if (!one.over) {
      report(one.limit ? "limit_kept" : "everybody_granted", client_name(key.first) + " was never answered");
    }
  }
  for (const auto& [client, count] : releases_awaited_) {
    if (count != 0) {
      report("finishes_once", "a release of " + client_name(client) + " was never answered");
    }
  }
  for (const auto& [name, one] : nodes_) {
    report("nothing_left", "contender " + name + " was left behind");
  }
  for (const auto& [client, left] : left_in_sessions) {
    if (left.contenders != 0 || left.watches > left.watched_lock_nodes || left.watched_lock_nodes > locks_.size()) {
      report("nothing_left", client_name(client) + "'s session keeps " + std::to_string(left.contenders) +
                                 " contenders and " + std::to_string(left.watches) + " watches");
    }
    const testing::ensemble_view::watch_counts watches = servers.view().watches(client);
    if (watches.in_client > left.watched_lock_nodes ||
        watches.on_servers > forgotten_max + traffic_[client].followings + 3 * traffic_[client].observings) {
      report("nothing_left", std::to_string(watches.in_client) + " watches of " + client_name(client) +
                                 " are left in the client, " + std::to_string(watches.on_servers) + " on servers");
    }
    if (servers.view().queued(client) != 0) {
      report("nothing_left", "something of " + client_name(client) + " is still queued");
    }
    check_requests(client);
  }
  for (const auto& [path, that] : gone_) {
    for (const int client : that.expected) {
      if (!crashed_.contains(client)) {
        report("one_wake_up", client_name(client) + " watched " + path + ", and was not told that it went");
      }
    }
  }
}

void checkers::never_finished(const testing::ensemble&) {
  values_.never_finished();
  leaders_.never_finished();
  for (const auto& [key, one] : attempts_) {
    if (!one.over) {
      report(one.limit || one.once ? "limit_kept" : "everybody_granted", client_name(key.first) + " still waits");
    }
  }
  for (const auto& [name, one] : nodes_) {
    report("nothing_left", "contender " + name + " was left behind");
  }
  report("nothing_left", "the world has not come to rest");
}

}  // namespace zklock::sim
