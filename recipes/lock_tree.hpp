#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/code.hpp"
#include "recipes/names_view.hpp"

namespace zklock::recipes {

/// A node whose children are to be listed.
struct tree_node {
  std::string path;           ///< "": the root
  bool of_semaphore = false;  ///< one of its lists in Curator's layout: what contends here is the semaphore's

  bool operator==(const tree_node&) const = default;
};

/// What the list of a node's children says.
enum class tree_finding : std::uint8_t {
  no_lock,  ///< no contender stands at it, or it has gone
  lock,
  lock_with_permits,  ///< likewise; its data may say a permit limit
  hidden,             ///< by an access list
  too_many_nodes,     ///< the walk has come to its bound, and goes no further
  failed,             ///< classify() says whether it helps to begin again
};

/// The names among a lock's children that are no contender's of a recipe of ours, nor of its parts.
[[nodiscard]] std::vector<std::string> strangers_among(names_view children);

/// The walk over a node and all below it, for the locks among them: which nodes to list, and what each list means.
///
/// A node is a lock if a child's name is a contender's of a recipe of ours, in either layout, or is `leases`. Contenders have
/// no children, so they are counted and not walked to, but for those that are none: see add().
class lock_tree {
 public:
  static constexpr std::size_t nodes_max = 250'000;

  /// `top`: a path, or "" for the root. `servers_own_too`: with `/zookeeper` and all below it, which is
  /// left out otherwise.
  explicit lock_tree(std::string top, std::size_t bound = nodes_max, bool servers_own_too = false);

  /// The next node to list. Nothing: none is known, until a list is answered.
  [[nodiscard]] std::optional<tree_node> next();
  /// The answer to a list; once for each node that next() has given.
  [[nodiscard]] tree_finding listed(const tree_node& of, code answer, names_view children);

  /// A node with a contender's name that is no client's: it may have children, and locks among them.
  void add(std::string path) { to_list_.push_back({std::move(path)}); }

  /// Whether next() has nothing to give.
  [[nodiscard]] bool empty() const noexcept { return to_list_.empty(); }
  /// All that were named by lists, contenders too.
  [[nodiscard]] std::size_t seen() const noexcept { return seen_; }

 private:
  const bool servers_own_too_;
  const std::size_t bound_;
  std::size_t seen_ = 0;
  std::vector<tree_node> to_list_;  ///< the last first: so few are kept at a time
};

}  // namespace zklock::recipes
