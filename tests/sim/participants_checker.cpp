#include "tests/sim/participants_checker.hpp"

#include <algorithm>

#include <zklock/error.hpp>

#include "recipes/contender_name.hpp"
#include "tests/sim/client_name.hpp"

namespace zklock::sim {

std::set<participants_checker::identity> participants_checker::standing_contenders(
    const testing::ensemble& servers) const {
  std::set<identity> all;
  for (const auto& child : servers.children(lock_)) {
    const auto parsed = recipes::parse_contender_name(child.name);
    if (parsed && parsed->kind == recipes::contender_kind::mutex) {
      all.emplace(child.name, child.czxid);
    }
  }
  return all;
}

void participants_checker::begun(int client, instant limit, const testing::ensemble& servers) {
  const std::set<identity> now = standing_contenders(servers);
  if (!looks_.emplace(client, look{limit, now, now}).second) {
    report_("finishes_once", client_name(client) + " looks while it looks: the script is wrong");
  }
}

void participants_checker::nodes_may_have_changed(const testing::ensemble& servers) {
  if (looks_.empty()) {
    return;
  }
  const std::set<identity> now = standing_contenders(servers);
  for (auto& [client, one] : looks_) {
    std::erase_if(one.stood_all_the_while, [&now](const identity& node) { return !now.contains(node); });
    one.stood_at_some_time.insert(now.begin(), now.end());
  }
}

void participants_checker::answered(int client, const std::vector<recipes::seen_contender>& queue,
                                    const testing::ensemble& servers, bool may_be_old) {
  nodes_may_have_changed(servers);
  const auto asked = looks_.extract(client);
  if (asked.empty()) {
    report_("finishes_once", client_name(client) + "'s look was answered a second time");
    return;
  }
  if (servers.now() > asked.mapped().limit) {
    report_("limit_kept", client_name(client) + " was told the queue after its limit");
  }
  if (!may_be_old) {
    judge(client, asked.mapped(), queue);
  }
}

void participants_checker::judge(int client, const look& one, const std::vector<recipes::seen_contender>& queue) {
  std::set<identity> listed;
  std::int64_t last = 0;
  for (const recipes::seen_contender& seen : queue) {
    if (!one.stood_at_some_time.contains({seen.name, seen.czxid})) {
      report_("participants_true",
              client_name(client) + " was told of " + seen.name + ", which did not stand meanwhile");
    }
    if (seen.czxid <= last) {
      report_("participants_true", client_name(client) + " was told of " + seen.name + " behind one that came later");
    }
    last = seen.czxid;
    listed.emplace(seen.name, seen.czxid);
  }
  for (const identity& node : one.stood_all_the_while) {
    if (!listed.contains(node)) {
      report_("participants_true",
              client_name(client) + " was not told of " + node.first + ", which stood all the while");
    }
  }
}

void participants_checker::refused(int client, std::error_code why, instant now) {
  const auto asked = looks_.extract(client);
  if (asked.empty()) {
    report_("finishes_once", client_name(client) + "'s look was answered a second time: " + why.message());
    return;
  }
  if (why == errc::session_closed) {
    return;
  }
  if (why != errc::not_connected) {
    report_("participants_true", client_name(client) + " was refused a look: " + why.message());
  }
  if (now != asked.mapped().limit) {
    report_("limit_kept", client_name(client) + "'s look was given up, but not at its limit");
  }
}

void participants_checker::continued(int client, instant now) {
  if (const auto found = looks_.find(client); found != looks_.end()) {
    found->second.limit = std::max(found->second.limit, now);
  }
}

void participants_checker::quiescent(const std::set<int>& stopped, instant now) {
  for (const auto& [client, one] : looks_) {
    if (now > one.limit && !stopped.contains(client)) {
      report_("limit_kept", client_name(client) + "'s look was not answered at its limit");
    }
  }
}

void participants_checker::finished() {
  for (const auto& [client, one] : looks_) {
    report_("finishes_once", client_name(client) + "'s look was never answered");
  }
}

}  // namespace zklock::sim
