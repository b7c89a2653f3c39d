// What must hold of what passes the port: which contender is woken by what, and how much is asked.
#include <algorithm>

#include "tests/sim/checkers.hpp"
#include "tests/sim/client_name.hpp"

namespace zklock::sim {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

enum request_kind : std::size_t { create = 0, list, get, exists, set, remove, sync, multi };

}  // namespace

void checkers::asked(int client, const client::any_request& what) {
  bounds_.asked(what);
  traffic& mine = traffic_[client];
  ++mine.by_kind[what.index()];
  const auto count = [&mine](const client::request::create& made) {
    mine.own_creates += made.mode == client::create_mode::ephemeral_sequential ? 1U : 0U;
    const std::string_view name = last_part(made.path);
    mine.of_permits += name.starts_with("permit-") || name.ends_with("-lease-") ? 1U : 0U;
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
  const auto* list = std::get_if<client::request::list>(&what);
  const auto is_above = [list](const lock_plan& lock) { return is_of_leases(lock) && lock.path == list->path; };
  mine.beside += list != nullptr && std::any_of(locks_.begin(), locks_.end(), is_above) ? 1U : 0U;
  const auto* get = std::get_if<client::request::get>(&what);
  if (get != nullptr && get->path == followed_path) {
    --mine.by_kind[request_kind::get];
    mine.values += get->watch != client::no_watch ? 1U : 0U;
    return;
  }
  const auto* exists = std::get_if<client::request::exists>(&what);
  mine.probes += exists != nullptr && exists->watch == client::no_watch ? 1U : 0U;
  if (get != nullptr && get->watch == client::no_watch) {
    ++(is_lock(get->path) ? mine.limits : mine.glances);
  }
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
  traffic_[client].value_events += by && path == followed_path ? 1U : 0U;
  const auto gone = gone_.find(path);
  if (gone == gone_.end()) {
    return;
  }
  gone_node& that = gone->second;
  that.expected.erase(client);
  const auto owner = ids_.find(id_in(last_part(path)));
  const bool own = owner != ids_.end() && owner->second == client;
  const bool counts = by == client::node_event::deleted && !own && !forced_.contains(client);
  if (!counts || !that.queue.contains(client)) {
    return;
  }
  that.woken.insert(client);  // perhaps again: by a leader that was deposed it has found the node, and watched it, anew
  if (std::ssize(that.woken) > std::max(1, that.waiters)) {
    report("one_wake_up", "the going of " + path + " has woken " + std::to_string(that.woken.size()) + " waiters");
  }
}

void checkers::session_event(int client, client::connection_state state) {
  ++traffic_[client].session_events;
  last_event_[client] = state;
  if (state != client::connection_state::connected) {
    for (auto& [path, that] : gone_) {
      that.expected.erase(client);  // what it has missed it is told after the reconnect, or it lists
    }
  }
}

void checkers::handle_closed(int client) {
  ++traffic_[client].handles;
  std::erase_if(watches_, [client](const auto& entry) { return entry.first.first == client; });
  const client::connection_state heard = last_event_[client];
  session_event(client, client::connection_state::expired);
  last_event_[client] = heard;
}

void checkers::check_requests(int client) {
  const traffic& mine = traffic_[client];
  const auto guests =
      std::count_if(hosts_.begin(), hosts_.end(), [&](const auto& one) { return one.second == client; });
  // Each user of the session may wait in as many queues as there are locks.
  const std::uint64_t disturbed = mine.session_events * static_cast<std::uint64_t>(1 + guests) * locks_.size();
  const std::uint64_t lists = mine.by_kind[request_kind::list] - mine.beside;
  const std::uint64_t gets = mine.by_kind[request_kind::get] - mine.glances - mine.limits;
  const std::uint64_t creates = mine.own_creates;
  const std::uint64_t readings =
      (mine.looks + mine.limit_changes) * (1 + disturbed);  // begun again on a new connection
  const std::uint64_t looks_first = mine.tries * (1 + disturbed);
  if (mine.glances >
      readings * most_nodes_ + mine.multis * (1 + disturbed) + looks_first + mine.revocations * (1 + disturbed)) {
    report("requests_bounded", client_name(client) + " has looked at " + std::to_string(mine.glances) + " nodes");
  }
  // a list and a read a change; a list more where nobody is left; exists where it is hidden; all anew in each session
  if (mine.observings > 0) {
    const std::uint64_t asked = lists + gets + mine.by_kind[request_kind::exists] - mine.probes;
    if (asked >
        3 * (mine.observings + mine.handles + mine.node_events + mine.session_events + mine.missing + mine.hidden)) {
      report("requests_bounded", client_name(client) + ", who observes, has asked " + std::to_string(asked) +
                                     " times, for " + std::to_string(mine.node_events) + " events");
    }
    return;
  }
  // the first in line for permits looks once more with its watches, and so does a contender that has given them
  // their number
  if (lists >
      creates + mine.of_permits * 2 + mine.node_events + mine.missing + disturbed * 2 + readings + looks_first) {
    report("requests_bounded", client_name(client) + " has listed " + std::to_string(lists) + " times, for " +
                                   std::to_string(creates) + " creates and " + std::to_string(mine.node_events) +
                                   " events");
  }
  // once a session, once a change
  if (mine.values > mine.followings * (1 + mine.handles) + mine.value_events + mine.values_again) {
    report("requests_bounded", client_name(client) + " has read the value " + std::to_string(mine.values) +
                                   " times, for " + std::to_string(mine.value_events) + " events");
  }
  if (gets > lists * 2 + (mine.grants + mine.multis) * 2 + mine.node_events + disturbed) {
    report("requests_bounded", client_name(client) + " has set " + std::to_string(gets) + " watches");
  }
}

}  // namespace zklock::sim
