#include "recipes/lock_tree.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "recipes/contender_name.hpp"
#include "recipes/joined.hpp"

namespace zklock::recipes {
namespace {

constexpr std::string_view locks = curator_locks.substr(1);
constexpr std::string_view leases = curator_leases.substr(1);
constexpr std::string_view servers_own = "zookeeper";

bool is_stranger(std::string_view child, bool semaphore) {
  const auto name = parse_contender_name(child);
  const bool of_semaphore = semaphore && (child == locks || child == leases);
  return !of_semaphore && (!name || name->kind == contender_kind::foreign);
}

}  // namespace

std::vector<std::string> strangers_among(names_view children) {
  const bool semaphore = std::find(children.begin(), children.end(), leases) != children.end();
  std::vector<std::string> found;
  for (const std::string_view child : children) {
    if (is_stranger(child, semaphore)) {
      found.emplace_back(child);
    }
  }
  return found;
}

lock_tree::lock_tree(std::string top, std::size_t bound, bool servers_own_too)
    : servers_own_too_(servers_own_too), bound_(bound) {
  add(std::move(top));
}

std::optional<tree_node> lock_tree::next() {
  if (to_list_.empty()) {
    return std::nullopt;
  }
  tree_node one = std::move(to_list_.back());
  to_list_.pop_back();
  return one;
}

tree_finding lock_tree::listed(const tree_node& of, code answer, names_view children) {
  switch (answer) {
    case code::ok: break;
    case code::no_node: return tree_finding::no_lock;
    case code::no_auth: return of.of_semaphore ? tree_finding::no_lock : tree_finding::hidden;
    default: return tree_finding::failed;
  }
  seen_ += children.size() + (seen_ == 0 ? 1 : 0);  // the top itself is named by no list
  if (seen_ > bound_) {
    return tree_finding::too_many_nodes;
  }
  const bool semaphore = std::find(children.begin(), children.end(), leases) != children.end();
  bool contended = semaphore;
  bool permits = false;
  for (const std::string_view child : children) {
    const auto name = parse_contender_name(child);
    if (!name || child == leases) {
      if (servers_own_too_ || !of.path.empty() || child != servers_own) {
        to_list_.push_back({joined({of.path, "/", child}), semaphore && (child == locks || child == leases)});
      }
      continue;
    }
    contended |= name->kind != contender_kind::foreign;
    permits |= name->kind == contender_kind::permit;
  }
  if (!contended || (of.of_semaphore && !semaphore)) {
    return tree_finding::no_lock;
  }
  return permits ? tree_finding::lock_with_permits : tree_finding::lock;
}

}  // namespace zklock::recipes
