#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "src/operations/commit.hpp"
#include "src/operations/crowd_calls.hpp"
#include "src/operations/lock_node_watch.hpp"
#include "src/operations/nodes.hpp"
#include "src/operations/own_node_watch.hpp"
#include "src/operations/queue_lists.hpp"

namespace zklock::operations {

class hand_over;

/// What the lock operations of one session share.
struct session_nodes {
  session_nodes() = default;
  session_nodes(const session_nodes&) = delete;
  session_nodes& operator=(const session_nodes&) = delete;
  ~session_nodes() { crowds->drop(); }  // what is left to be told refers to the registry

  /// Null: there is none.
  [[nodiscard]] hand_over* kept_at(const std::string& lock_node) const {
    const auto found = kept.empty() ? kept.end() : kept.find(lock_node);
    return found == kept.end() ? nullptr : found->second;
  }

  nodes registry;
  commits_in_order commits;
  std::map<std::uint64_t, hand_over*> turns;  ///< by the number of the contender whose turn one of its calls has
  std::map<std::string, hand_over*> kept;     ///< by lock node: those whose contender no call holds
  const std::shared_ptr<crowd_calls> crowds = std::make_shared<crowd_calls>(registry);
  const std::shared_ptr<queue_lists> lists = std::make_shared<queue_lists>(*crowds);
  const std::shared_ptr<lock_node_watch> lock_nodes = std::make_shared<lock_node_watch>(registry);
  const std::shared_ptr<own_node_watch> watch = std::make_shared<own_node_watch>(registry);
};

}  // namespace zklock::operations
