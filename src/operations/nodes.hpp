#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>

#include "recipes/session_queue.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/out.hpp"

namespace zklock::operations {

class contender;

/// The contenders whose nodes may be there, by number: from before the create until the node is known to be gone.
class nodes {
 public:
  void add(contender& one);
  void remove(const contender& one);
  /// Null: it is not there (any more).
  [[nodiscard]] contender* find(std::uint64_t number) const;
  [[nodiscard]] std::size_t size() const noexcept { return contenders_.size(); }

  /// Of this session's contenders at a lock node: the same for all that have it.
  [[nodiscard]] std::shared_ptr<recipes::session_queue> queue_at(const std::string& lock_node);
  void leave_queue(const std::string& lock_node, std::shared_ptr<recipes::session_queue>&& left);

  /// Whether it is not known which node stands for the hold, until a request that has failed is repeated.
  [[nodiscard]] bool node_in_doubt(const detail::hold& one) const;
  /// Whether this node, which was seen gone, is known to have been the hold's; else a downgrade was to put it in its place.
  [[nodiscard]] bool was_node_of(const detail::hold& one, const std::string& node) const;
  /// The hold's node was seen gone: its loss is to be told, if the servers say so once more.
  void look_after(const detail::hold& one, engine::out& wants) const;

 private:
  /// What leaves leaves it to what comes. A queue lives as long as its last contender. Not of the program's default resource,
  /// which may end before.
  std::shared_ptr<std::pmr::memory_resource> memory_ =
      std::make_shared<std::pmr::unsynchronized_pool_resource>(std::pmr::new_delete_resource());
  std::pmr::map<std::uint64_t, contender*> contenders_{memory_.get()};
  std::unordered_map<std::string, std::shared_ptr<recipes::session_queue>> queues_;
};

}  // namespace zklock::operations
