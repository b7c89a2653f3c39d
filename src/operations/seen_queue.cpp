#include "src/operations/seen_queue.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace zklock::operations {
namespace {

using recipes::code;
using recipes::seen_contender;

/// Of a node's data: more than a native contender writes, and little beside the names of a long queue.
constexpr std::size_t data_bytes_max = 4096;

std::unordered_set<std::string_view> names_of(std::span<const seen_contender> all, bool holders_alone) {
  std::unordered_set<std::string_view> names;
  for (const seen_contender& one : all) {
    if (one.holds || !holders_alone) {
      names.insert(one.name);
    }
  }
  return names;
}

/// Those of `before` that stood before the last one that holds now; all, if that one has come since, or nobody is left.
std::span<const seen_contender> in_front(std::span<const seen_contender> before,
                                         std::span<const seen_contender> after) {
  if (after.empty()) {
    return before;
  }
  const auto last = std::find_if(after.rbegin(), after.rend(), [](const auto& one) { return one.holds; });
  if (last == after.rend()) {
    return {};
  }
  const auto there =
      std::find_if(before.begin(), before.end(), [&last](const auto& one) { return one.name == last->name; });
  return before.first(static_cast<std::size_t>(there - before.begin()));
}

}  // namespace

std::uint64_t grants_between(std::span<const seen_contender> before, std::span<const seen_contender> after) {
  const auto held = names_of(before, true);
  const auto there = names_of(after, false);
  const auto front = in_front(before, after);
  const auto entered = std::count_if(after.begin(), after.end(),
                                     [&held](const auto& one) { return one.holds && !held.contains(one.name); });
  const auto passed = std::count_if(front.begin(), front.end(),
                                    [&there](const auto& one) { return !one.holds && !there.contains(one.name); });
  return static_cast<std::uint64_t>(entered + passed);
}

void seen_queue::listed(std::string_view below, recipes::names_view children) {
  lists_.insert_or_assign(std::string(below), std::vector<std::string>(children.begin(), children.end()));
  if (below.empty()) {
    has_leases_ = std::find(children.begin(), children.end(), recipes::curator_leases.substr(1)) != children.end();
  }
  std::erase_if(nodes_,
                [this](const auto& one) { return one.second.answer == code::no_node || !is_listed(one.first); });
  judge();
}

bool seen_queue::is_listed(std::string_view name) const {
  const std::size_t slash = name.rfind('/');
  const auto list = lists_.find(slash == name.npos ? std::string() : "/" + std::string(name.substr(0, slash)));
  return list != lists_.end() &&
         std::find(list->second.begin(), list->second.end(), name.substr(slash + 1)) != list->second.end();
}

void seen_queue::limit_read(std::optional<std::string> data) {
  limit_data_ = std::move(data);
  judge();
}

void seen_queue::node_read(const std::string& name, code answer, const recipes::node_origin& origin,
                           std::string_view data) {
  const code known = answer == code::ok || answer == code::no_node ? answer : code::no_auth;
  nodes_.insert_or_assign(name, node{known, origin, std::string(data.substr(0, data_bytes_max))});
  judge();
}

void seen_queue::forget_node(const std::string& name) { nodes_.erase(name); }

void seen_queue::forget_all_nodes() { nodes_.clear(); }

bool seen_queue::has_permits() const noexcept {
  return std::any_of(queue_.begin(), queue_.end(),
                     [](const auto& one) { return one.kind == recipes::contender_kind::permit; });
}

/// As participants() has it, with what is known; what was not read is as what an access list hides.
void seen_queue::judge() {
  recipes::participants_round round({});
  round.synced(code::ok);
  while (const auto below = round.next_list()) {
    const auto list = lists_.find(*below);
    round.listed(code::ok, list == lists_.end() ? recipes::names_view() : recipes::names_view(list->second));
  }
  if (limit_data_) {
    round.limit_read(code::ok, *limit_data_);
  }
  while (const auto next = round.next_node()) {
    const auto known = nodes_.find(round.name(next->place));
    if (known == nodes_.end()) {
      round.node_read(next->place, code::no_auth, {}, {});
    } else {
      round.node_read(next->place, known->second.answer, known->second.origin, known->second.data);
    }
  }
  limit_ = round.limit();
  std::vector<seen_contender> now = round.take(0);
  grants_ += counts_ ? grants_between(queue_, now) : 0;
  queue_ = std::move(now);
  holders_ =
      static_cast<std::size_t>(std::count_if(queue_.begin(), queue_.end(), [](const auto& one) { return one.holds; }));
}

}  // namespace zklock::operations
