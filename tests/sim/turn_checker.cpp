#include "tests/sim/turn_checker.hpp"

#include <algorithm>

#include "tests/sim/client_name.hpp"

namespace zklock::sim {

bool turn_checker::begun(int client, int process, std::uint64_t attempt, const std::vector<want>& wanted) {
  if (!takes_turns(locks_, wanted)) {
    return false;
  }
  queue& mine = queues_[{process, wanted.front().lock}];
  const bool behind = !mine.waiting.empty() || !mine.holding.empty();
  mine.waiting.push_back({client, attempt});
  return behind;
}

turn_checker::queue* turn_checker::queue_of(const call& one) {
  for (auto& [where, each] : queues_) {
    const auto is_it = [&one](const call& other) { return other.client == one.client && other.attempt == one.attempt; };
    if (std::any_of(each.waiting.begin(), each.waiting.end(), is_it)) {
      return &each;
    }
  }
  return nullptr;
}

void turn_checker::granted(int client, std::uint64_t attempt, detail::hold& hold, instant now) {
  queue* const mine = queue_of({client, attempt});
  if (mine == nullptr) {
    return;
  }
  const call first = mine->waiting.front();
  if (first.client != client || first.attempt != attempt) {
    report_("turns_in_order",
            client_name(client) + " was granted before " + client_name(first.client) + ", which has waited longer");
  }
  refused(client, attempt);
  mine->holding.push_back(&hold);
  const auto plan =
      std::find_if(locks_.begin(), locks_.end(), [&](const lock_plan& one) { return one.path == hold.path(); });
  const recipes::turn_bounds& bounds = *plan->hand_over;
  node& one = nodes_.try_emplace(hold.node(), node{now}).first->second;
  const std::string turn = client_name(client) + "'s turn " + std::to_string(hold.token().turn) + " of " + hold.node();
  if (now >= hold.valid_until()) {
    report_("turn_before_deadline", turn + " begins past the local deadline");
  }
  if (one.downgraded || (one.last != nullptr && one.last->why_lost() != loss_reason::none)) {
    report_("turn_after_loss", turn + " begins after one that was lost, or downgraded");
  }
  const bool late = one.turns >= bounds.turns || (one.turns > 0 && now - one.granted_at >= bounds.time);
  if (bounds.idle.count() > 0 ? one.turns >= recipes::local_turns::turns_max : late) {
    report_("turns_within_bounds", turn + " begins as number " + std::to_string(one.turns) + " of " +
                                       std::to_string(bounds.turns) + ", " +
                                       std::to_string((now - one.granted_at).count()) + " ns after the first");
  }
  ++one.turns;
  one.last = &hold;
}

void turn_checker::refused(int client, std::uint64_t attempt) {
  if (queue* const mine = queue_of({client, attempt})) {
    std::erase_if(mine->waiting, [&](const call& one) { return one.client == client && one.attempt == attempt; });
  }
}

void turn_checker::released(const detail::hold& hold) {
  for (auto& [where, each] : queues_) {
    std::erase(each.holding, &hold);
  }
}

void turn_checker::downgraded(const detail::hold& hold) {
  for (auto& [where, each] : nodes_) {
    each.downgraded = each.downgraded || each.last == &hold;
  }
}

}  // namespace zklock::sim
