#include "tests/sim/value_checker.hpp"

#include <algorithm>

#include "src/testing/data_tree.hpp"
#include "tests/sim/client_name.hpp"

namespace zklock::sim {
namespace {

using value = recipes::followed_node::value;

constexpr std::int32_t permission_read = 1;
/// As long as waiters may take (checkers_waits.cpp).
constexpr testing::instant astray_max = std::chrono::seconds(5);
/// A refused node is asked for again a session timeout later: 6 s.
constexpr testing::instant refused_max = std::chrono::seconds(12);

bool is_hidden(const testing::tree_node& node) {
  return !node.acl.empty() && std::none_of(node.acl.begin(), node.acl.end(), [](const client::acl_entry& one) {
    return (one.permissions & permission_read) != 0;
  });
}

std::string told(const operations::node_report& what) {
  const std::string as = what.current ? " (current)" : " (not current)";
  switch (what.known) {
    case value::unknown: return "nothing" + as;
    case value::present:
      return "\"" + what.data + "\", version " + std::to_string(what.stat.version) + ", mzxid " +
             std::to_string(what.stat.mzxid) + as;
    case value::absent: return "that there is no node" + as;
    case value::refused: return "that the node is hidden" + as;
  }
  return "?";
}

bool same_but_for_current(const operations::node_report& a, const operations::node_report& b) {
  return a.known == b.known && a.stat == b.stat && a.data == b.data && a.why == b.why;
}

}  // namespace

bool value_checker::shows(const period& one, const operations::node_report& what) {
  return one.what == what.known && (one.what != value::present || (one.stat == what.stat && one.data == what.data));
}

std::optional<std::size_t> value_checker::first_shown(const operations::node_report& what, std::size_t from) const {
  for (std::size_t at = from; at < history_.size(); ++at) {
    if (shows(history_[at], what)) {
      return at;
    }
  }
  return std::nullopt;
}

std::size_t value_checker::place_of(std::int64_t zxid) const {
  std::size_t at = history_.size() - 1;
  while (at > 0 && history_[at].since > zxid) {
    --at;
  }
  return at;
}

void value_checker::reported(int client, const operations::node_report& what) {
  const auto found = followings_.find(client);
  if (found == followings_.end()) {
    report_("finishes_once", client_name(client) + " follows no more, and was told " + told(what));
    return;
  }
  following& mine = found->second;
  const bool turns_current = what.current && !mine.told.current;
  const bool news = !same_but_for_current(what, mine.told);
  mine.told = what;
  const auto connection = connected_.find(client);
  if (what.current && (connection == connected_.end() || what.known == value::unknown)) {
    report_("value_current", client_name(client) + ", without a connection, was told " + told(what));
    return;
  }
  if (what.known == value::unknown || (!news && !what.current)) {
    return;
  }
  const std::optional<std::size_t> at = first_shown(what, mine.at);
  if (!at) {
    const bool was_so = first_shown(what, 0).has_value();
    report_("value_never_older",
            client_name(client) + " was told " + told(what) + ", which " + (was_so ? "was so before" : "never was so"));
    return;
  }
  mine.at = *at;
  if (turns_current) {
    const std::optional<std::size_t> recent = first_shown(what, std::max(mine.at, place_of(connection->second)));
    if (!recent) {
      report_("value_current",
              client_name(client) + " was told " + told(what) + ", and its server had applied a later change");
      return;
    }
    mine.at = *recent;
  }
}

void value_checker::over(int client) {
  if (followings_.erase(client) == 0) {
    report_("finishes_once", client_name(client) + " was told twice that it follows no more");
  }
}

void value_checker::updated(int client, const recipes::node_stat& to, const std::string& data) {
  const auto same = [&](const period& one) { return one.stat == to && one.data == data; };
  if (std::none_of(history_.begin(), history_.end(), same)) {
    report_("update_told_truly",
            client_name(client) + " was told to have written \"" + data + "\", which never was so");
  }
  if (!claimed_.insert(to.mzxid).second) {
    report_("update_told_truly", client_name(client) + " was told to have written what another client has written");
  }
  const auto mine = followings_.find(client);
  if (mine != followings_.end() && mine->second.told.stat.mzxid < to.mzxid) {
    report_("update_shown",
            client_name(client) + " has written \"" + data + "\", and goes by " + told(mine->second.told));
  }
}

void value_checker::not_updated(int client, const std::string& data) {
  not_applied_.insert(data);
  if (std::any_of(history_.begin(), history_.end(), [&data](const period& one) { return one.data == data; })) {
    report_("update_told_truly", client_name(client) + " was told not to have written \"" + data + "\", and has");
  }
}

void value_checker::session_event(int client, client::connection_state state, const testing::ensemble& servers) {
  if (state == client::connection_state::connected) {
    connected_[client] = servers.view().applied_for(client);
  } else {
    connected_.erase(client);
  }
}

void value_checker::nodes_may_have_changed(const testing::ensemble& servers) {
  if (std::exchange(seen_zxid_, servers.last_zxid()) == servers.last_zxid()) {
    return;
  }
  const testing::tree_node* const node = servers.view().node(followed_path);
  period now{seen_zxid_, value::absent};
  if (node != nullptr) {
    now.what = is_hidden(*node) ? value::refused : value::present;
    now.stat = {node->stat.version, node->stat.czxid, node->stat.mzxid};
    now.data = node->data;
    now.since = now.stat.mzxid;
  }
  if (not_applied_.contains(now.data)) {
    report_("update_told_truly", "\"" + now.data + "\" was written after that was told not to be");
  }
  const period& before = history_.back();
  if (now.what != before.what || now.stat != before.stat) {
    history_.push_back(std::move(now));
  }
}

void value_checker::history_lost() {
  history_.assign(1, period{});
  claimed_.clear();
  for (auto& [client, one] : followings_) {
    one.at = 0;
  }
}

bool value_checker::is_at_rest(const following& one) const {
  return one.told.current && shows(history_.back(), one.told);
}

void value_checker::quiescent(const testing::ensemble& servers, const std::vector<bool>& connected, instant now) {
  for (auto& [client, one] : followings_) {
    if (one.told.current && !connected_.contains(client)) {
      report_("value_current", client_name(client) + " has no connection, and goes by " + told(one.told));
    }
    const bool can_tell = connected[static_cast<std::size_t>(client)] && servers.view().queued(client) == 0;
    if (!can_tell || is_at_rest(one)) {
      one.astray_since = instant{-1};
    } else if (one.astray_since < instant{0}) {
      one.astray_since = now;
    } else if (now - one.astray_since > (one.told.known == value::refused ? refused_max : astray_max)) {
      report_("value_at_rest", client_name(client) + ", connected, goes by " + told(one.told));
    }
  }
}

bool value_checker::all_at_rest() const {
  return std::all_of(followings_.begin(), followings_.end(),
                     [this](const auto& one) { return is_at_rest(one.second); });
}

void value_checker::never_finished() {
  for (const auto& [client, one] : followings_) {
    if (!is_at_rest(one)) {
      report_("value_at_rest", client_name(client) + " still goes by " + told(one.told));
    }
  }
}

}  // namespace zklock::sim
