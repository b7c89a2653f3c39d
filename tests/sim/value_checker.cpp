#include "tests/sim/value_checker.hpp"

#include <algorithm>

#include "src/testing/data_tree.hpp"

namespace zklock::sim {
value_checker::period value_checker::nothing() const {
  period none;
  none.is.known = value::absent;
  return none;
}

value_checker::period value_checker::found_in(const testing::ensemble& servers) const {
  const testing::tree_node* const node = servers.view().node(followed_path);
  period now = nothing();
  if (node != nullptr) {
    now.is.known = is_hidden(*node) ? value::refused : value::present;
    now.is.stat = {node->stat.version, node->stat.czxid, node->stat.mzxid};
    now.is.data = node->data;
    now.since = now.is.stat.mzxid;
  }
  return now;
}

/// What is told beside another state than `present` is the latest value.
bool value_checker::says_the_same(const node_report& one, const node_report& other) const {
  return one.known == other.known &&
         (one.known != value::present || (one.stat == other.stat && one.data == other.data));
}

bool value_checker::is_unknown(const node_report& one) const { return one.known == value::unknown; }

std::string value_checker::said(const node_report& what) const {
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

/// A refused node is asked for again a session timeout later: 6 s.
value_checker::instant value_checker::astray_max(const node_report& told) const {
  return told.known == value::refused ? std::chrono::seconds(12) : followed_checker::astray_max(told);
}

void value_checker::note_period(const node_report& now) {
  if (now.known != value::absent) {
    written_[now.stat.mzxid] = now;
  }
  if (not_applied_.contains(now.data)) {
    report("update_told_truly", "\"" + now.data + "\" was written after that was told not to be");
  }
}

void value_checker::updated(int client, const recipes::node_stat& to, const std::string& data) {
  const auto then = written_.find(to.mzxid);
  if (then == written_.end() || then->second.stat != to || then->second.data != data) {
    report("update_told_truly", client, "was told to have written \"" + data + "\", which never was so");
  }
  if (!claimed_.insert(to.mzxid).second) {
    report("update_told_truly", client, "was told to have written what another client has written");
  }
  const node_report* const mine = told_last(client);
  if (mine != nullptr && mine->stat.mzxid < to.mzxid) {
    report("update_shown", client, "has written \"" + data + "\", and goes by " + said(*mine));
  }
}

void value_checker::not_updated(int client, const std::string& data) {
  not_applied_.insert(data);
  if (std::any_of(written_.begin(), written_.end(), [&data](const auto& one) { return one.second.data == data; })) {
    report("update_told_truly", client, "was told not to have written \"" + data + "\", and has");
  }
}

void value_checker::history_lost() {
  followed_checker::history_lost();
  claimed_.clear();
  written_.clear();
}

}  // namespace zklock::sim
