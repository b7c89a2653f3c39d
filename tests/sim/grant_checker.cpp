#include "tests/sim/grant_checker.hpp"

#include <algorithm>
#include <utility>

#include "tests/sim/client_name.hpp"

namespace zklock::sim {
namespace {

using detail::side;

std::string text_of(const recipes::fencing_token& token) {
  return std::to_string(token.czxid) + "-" + std::to_string(token.turn);
}

}  // namespace

std::string grant_checker::name_of(const detail::hold& hold) {
  return hold.node() + " (token " + text_of(hold.token()) + ")";
}

std::vector<std::string> grant_checker::nodes_of(const detail::hold& hold) {
  std::vector<std::string> nodes;
  for (const auto& part : hold.parts()) {
    for (std::string& node : nodes_of(*part)) {
      nodes.push_back(std::move(node));
    }
  }
  if (hold.parts().empty()) {
    nodes.push_back(hold.node());
  }
  return nodes;
}

bool grant_checker::any_forced_out(const detail::hold& hold, const scene& at) {
  const std::vector<std::string> nodes = nodes_of(hold);
  return std::any_of(nodes.begin(), nodes.end(), at.forced_out);
}

bool grant_checker::was_granted(const std::string& node) const {
  return std::any_of(holdings_.begin(), holdings_.end(), [&node](const holding& one) {
    const std::vector<std::string> nodes = nodes_of(*one.hold);
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  });
}

bool grant_checker::holds(const holding& one, instant now) const {
  // without asking held_at(), which has consequences of its own
  return !one.was_released && one.hold->why_lost() == loss_reason::none && now < one.hold->valid_until() &&
         !crashed_.contains(one.client);
}

bool grant_checker::holds_unforced(const holding& one, const scene& at) const {
  return !one.whole && holds(one, at.now) && !any_forced_out(*one.hold, at);
}

/// Readers may overlap each other, and so may users of permits; no other holders overlap.
bool grant_checker::exclude_each_other(const holding& one, const holding& other) {
  if (one.of.lock != other.of.lock || one.of.of == side::permits) {
    return false;
  }
  return one.of.of != side::read || other.of.of != side::read;
}

void grant_checker::granted(int client, const std::vector<want>& wanted, const std::shared_ptr<detail::hold>& hold,
                            const std::vector<std::uint32_t>& limits_max, const scene& at) {
  if (wanted.size() == 1) {
    const holding mine{client, hold, wanted.front(), limits_max.front()};
    judge_part(mine, at);
    holdings_.push_back(mine);
    return;
  }
  holding whole{client, hold, want{}, 0};
  whole.whole = true;
  judge_parts(whole, !in_turn(locks_, wanted), at);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const holding mine{client, hold->parts()[i], wanted[i], limits_max[i]};
    judge_part(mine, at);
    holdings_.push_back(mine);
  }
  holdings_.push_back(whole);
}

void grant_checker::judge_part(const holding& mine, const scene& at) {
  if (!any_forced_out(*mine.hold, at)) {
    for (const holding& other : holdings_) {
      if (holds_unforced(other, at) && exclude_each_other(mine, other)) {
        report_("one_holder", client_name(mine.client) + " was granted " + name_of(*mine.hold) + " while " +
                                  client_name(other.client) + " holds " + name_of(*other.hold));
      }
    }
    const auto own = at.nodes.find(mine.hold->node());
    for (const auto& [path, other] : at.nodes) {
      if (own != at.nodes.end() && mine.of.of != side::permits && has_to_go_first(other, own->second)) {
        report_("one_holder", client_name(mine.client) + " was granted " + name_of(*mine.hold) + " while " + path +
                                  " of " + client_name(other.client) + ", created before, still stands");
      }
    }
    judge_token(mine);
    if (mine.of.of == side::permits) {
      judge_permits(mine, at);
    }
  }
  tokens& last = last_[mine.of.lock];
  recipes::fencing_token& mark = mine.of.of == side::read ? last.reading : last.writing;
  mark = std::max(mark, mine.hold->token());
}

/// Among grants that exclude each other. A downgraded one keeps its own.
void grant_checker::judge_token(const holding& mine) {
  const tokens& last = last_[mine.of.lock];
  const recipes::fencing_token before = mine.of.of == side::permits ? recipes::fencing_token()
                                        : mine.of.of == side::read  ? last.writing
                                                                    : std::max(last.writing, last.reading);
  if (mine.hold->token() <= before) {
    report_("tokens_rise", client_name(mine.client) + " was granted token " + text_of(mine.hold->token()) + " after " +
                               text_of(before));
  }
}

/// First come, first served: each contender that came before counts, whether it holds yet or not.
void grant_checker::judge_permits(const holding& mine, const scene& at) {
  const contender_node* last = nullptr;
  std::uint64_t own = 0;
  for (const std::string& node : nodes_of(*mine.hold)) {
    const auto found = at.nodes.find(node);
    if (found == at.nodes.end()) {
      return;
    }
    own += found->second.permits;
    last = last == nullptr || found->second.place > last->place ? &found->second : last;
  }
  if (own != mine.of.permits) {
    report_("permits_within_limit", client_name(mine.client) + " was granted " + std::to_string(mine.of.permits) +
                                        " permits with " + name_of(*mine.hold) + ", which says " + std::to_string(own));
  }
  if (last->kind == recipes::contender_kind::lease) {
    judge_mutex_beside(mine, *last, at);
  }
  const std::uint64_t sum = permits_up_to(at.nodes, *last);
  if (sum > mine.limit_max) {
    const bool of_leases = last->kind == recipes::contender_kind::lease;
    report_(of_leases ? "permits_within_limit" : "first_come_first_served",
            client_name(mine.client) + " was granted " + name_of(*mine.hold) + " where " + std::to_string(sum) +
                " permits are wanted up to it, of " + std::to_string(mine.limit_max));
  }
}

/// Of leases: each contender that came earlier to the mutex beside them has its leases, or has gone.
void grant_checker::judge_mutex_beside(const holding& mine, const contender_node& lease, const scene& at) {
  const auto is_mutex_of = [&lease](const contender_node& one, bool own) {
    const bool same = one.user == lease.user && one.attempt == lease.attempt;
    return one.kind == recipes::contender_kind::mutex && one.lock == lease.lock && one.client >= 0 && same == own;
  };
  for (const auto& [own_path, own] : at.nodes) {
    for (const auto& [path, other] : at.nodes) {
      if (is_mutex_of(own, true) && is_mutex_of(other, false) && other.place < own.place) {
        report_("first_come_first_served", client_name(mine.client) + " was granted " + name_of(*mine.hold) +
                                               " before " + path + ", which came earlier");
      }
    }
  }
}

namespace {

/// Its czxid; or a transaction behind that one, before any later contender of the lock came.
bool is_token_of(const contender_node& part, std::int64_t token, const grant_checker::scene& at) {
  return token >= part.czxid && std::none_of(at.nodes.begin(), at.nodes.end(), [&](const auto& each) {
           const contender_node& other = each.second;
           return other.lock == part.lock && other.czxid > part.czxid && other.czxid <= token;
         });
}

}  // namespace

void grant_checker::judge_parts(const holding& whole, bool created_together, const scene& at) {
  for (const std::string& part : nodes_of(*whole.hold)) {
    if (at.forced_out(part)) {
      continue;
    }
    const auto node = at.nodes.find(part);
    if (node == at.nodes.end()) {
      report_("all_or_none", client_name(whole.client) + " was granted " + part + ", which does not stand");
    } else if (created_together && !is_token_of(node->second, whole.hold->token().czxid, at)) {
      report_("all_or_none", client_name(whole.client) + " was granted " + part + " with another transaction's token");
    }
  }
}

void grant_checker::judge_new_nodes(const contender_nodes& fresh) {
  for (const auto& [path, one] : fresh) {
    if (one.user < 0 || one.parts < 2) {
      continue;
    }
    const auto together = std::count_if(fresh.begin(), fresh.end(), [&one = one](const auto& other) {
      return other.second.user == one.user && other.second.attempt == one.attempt && other.second.czxid == one.czxid;
    });
    if (static_cast<std::size_t>(together) != one.parts) {
      report_("all_or_none",
              path + " was created with " + std::to_string(together) + " of " + std::to_string(one.parts) + " parts");
    }
  }
}

void grant_checker::judge_all(const scene& at) {
  std::vector<const holding*> in_force;
  for (const holding& one : holdings_) {
    if (holds_unforced(one, at)) {
      in_force.push_back(&one);
    }
    const auto& parts = one.hold->parts();
    if (one.whole && !one.was_released && one.hold->why_lost() != loss_reason::none &&
        std::any_of(parts.begin(), parts.end(),
                    [](const auto& part) { return part->why_lost() == loss_reason::none; }) &&
        !crashed_.contains(one.client)) {
      report_("all_or_none", client_name(one.client) + " has lost " + name_of(*one.hold) + ", and keeps a part of it");
    }
  }
  for (const holding* const one : in_force) {
    std::uint64_t permits = 0;
    for (const holding* const other : in_force) {
      if (one < other && exclude_each_other(*one, *other)) {
        report_("one_holder", client_name(one->client) + " and " + client_name(other->client) + " hold " +
                                  locks_[one->of.lock].path + " at once");
      }
      const bool counts = other->of.lock == one->of.lock && other->hold->token() <= one->hold->token();
      permits += counts ? other->of.permits : 0;
    }
    if (one->of.of == side::permits && permits > one->limit_max) {
      report_("permits_within_limit", std::to_string(permits) + " permits are held of " +
                                          std::to_string(one->limit_max) + " at " + locks_[one->of.lock].path);
    }
  }
}

void grant_checker::downgraded(const detail::hold& hold) {
  for (holding& one : holdings_) {
    if (one.hold.get() == &hold) {
      one.of.of = side::read;
    }
  }
}

void grant_checker::crashed(int client) { crashed_[client] = true; }

}  // namespace zklock::sim
