#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/nodes.hpp"

namespace zklock::operations {

/// Watches lock nodes for the contenders of one session that go by their numbers (recipes::session_queue::alone): asked for
/// once by `exists`, a watch tells in all cycles behind it that the lock node is the same one. It goes with its queue.
/// Without room for it each cycle asks. Lives as long as the session object.
///
/// Invariant: a queue is told of a watch that stands, on this connection, and of the lock node that it was set on.
class lock_node_watch final : public engine::operation {
 public:
  /// Of the budget of watches, for what saves requests alone: what waits or holds is to have its own.
  static constexpr double share_at_most = 0.5;

  explicit lock_node_watch(nodes& of) noexcept : nodes_(of) {}

  /// The answer comes to that contender as `lock_node_watched`.
  void watch(const std::string& lock_node, std::uint64_t contender, engine::out& wants);
  /// Drops what the registry keeps too many of.
  void make_room(engine::out& wants);
  /// How many watches stand, or are asked for.
  [[nodiscard]] std::size_t size() const noexcept { return by_tag_.size(); }

  void begin(engine::out&) override {}
  void disconnected(engine::out&) override { nodes_.lose_lock_node_watches(); }
  void connection_closed(engine::out&) override;
  void session_over(const engine::session_end&, engine::out&) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void watch_fired(engine::tag as, client::node_event what, engine::out& wants) override;
  void watch_refused(engine::tag as, engine::out& wants) override;
  void stop(const detail::failure&, engine::out&) override {}

 private:
  struct watched {
    std::string lock_node;
    std::uint64_t contender = 0;  ///< that the answer is for; 0: none is under way
    bool refused = false;
  };
  void forget(engine::tag as);

  nodes& nodes_;
  engine::tag last_ = 0;
  std::unordered_map<engine::tag, watched> by_tag_;
  std::unordered_map<std::string, engine::tag> by_lock_node_;
  bool told_of_no_room_ = false;
};

}  // namespace zklock::operations
