#include "tests/sim/leader_checker.hpp"

#include <string_view>
#include <vector>

#include "src/testing/data_tree.hpp"

namespace zklock::sim {
leader_checker::period leader_checker::nothing() const {
  period none;
  none.is.known = value::absent;
  return none;
}

leader_checker::period leader_checker::found_in(const testing::ensemble& servers) const {
  std::vector<std::string> there;
  for (const testing::ensemble::child& child : servers.children(path_)) {
    there.push_back(child.name);
  }
  const recipes::first_candidate first = recipes::first_candidate_of(there);
  period now = nothing();
  const testing::tree_node* const lock_node = servers.view().node(path_);
  if (lock_node != nullptr && is_hidden(*lock_node)) {  // as made by a candidate whose nodes are
    now.is.known = value::refused;
  } else if (first.is == recipes::first_candidate::finding::mixed) {
    now.is.known = value::mixed;
  } else if (first.is == recipes::first_candidate::finding::found) {
    const testing::tree_node& node = *servers.view().node(path_ + "/" + std::string(first.name));
    now.is.known = value::present;
    now.is.leader = {.node = std::string(first.name),
                     .czxid = node.stat.czxid,
                     .mzxid = node.stat.mzxid,
                     .session = node.stat.ephemeral_owner,
                     .hidden = is_hidden(node),
                     .data = node.data};
  }
  return now;
}

bool leader_checker::says_the_same(const leader_report& one, const leader_report& other) const {
  if (one.known != other.known || one.known != value::present) {
    return one.known == other.known;
  }
  recipes::seen_leader as_told = one.leader;
  if (one.leader.hidden) {
    as_told.data = other.leader.data;
  }
  return as_told == other.leader;
}

bool leader_checker::is_unknown(const leader_report& one) const { return one.known == value::unknown; }

std::string leader_checker::said(const leader_report& what) const {
  const std::string as = what.current ? " (current)" : " (not current)";
  switch (what.known) {
    case value::unknown: return "nothing" + as;
    case value::present:
      return "the leader with token " + std::to_string(what.leader.czxid) + ", mzxid " +
             std::to_string(what.leader.mzxid) + as;
    case value::absent: return "that nobody leads" + as;
    case value::refused: return "that the election is hidden" + as;
    case value::mixed: return "that there are two kinds of candidates" + as;
  }
  return "?";
}

std::string leader_checker::proclamation(int client, int number) {
  return "said " + std::to_string(client) + " " + std::to_string(number);
}

void leader_checker::note_period(const leader_report& now) {
  if (now.known != value::present || !now.leader.data.starts_with("said ")) {
    return;
  }
  const int number = std::stoi(now.leader.data.substr(now.leader.data.rfind(' ')));
  int& before = said_[now.leader.czxid];
  if (number < before) {
    report("proclaimed_truly", "\"" + now.leader.data + "\" came behind the proclamation " + std::to_string(before));
  }
  before = number;
}

void leader_checker::proclaimed(int client, std::int64_t czxid, int number) {
  const auto said = said_.find(czxid);
  if (said == said_.end() || said->second < number) {
    report("proclaimed_truly", client, "was told that its proclamation " + std::to_string(number) + " is done");
  }
}

}  // namespace zklock::sim
