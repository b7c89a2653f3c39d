#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/nodes.hpp"

namespace zklock::operations {

/// When contenders look at their own nodes. A holder does so soon after its grant, when it gets its watch (F13), and a waiter
/// soon after it has begun to wait. A contender that gets none, since the budget of watches is used up, looks again and
/// again: in turn, and no more than `turns_per_interval` of these in an interval, so that the load does not grow with their
/// number (F149). Lives as long as the session object.
///
/// Invariant: both queues are in the order of `due`; a contender stands in turn at most once.
class own_node_watch final : public engine::operation {
 public:
  static constexpr std::size_t turns_per_interval = 100;

  explicit own_node_watch(const nodes& of) noexcept : nodes_(of) {}

  /// It has been granted, waits, or its watch has fired. A shorter hold pays nothing for it (F13).
  void watch_soon(std::uint64_t contender, engine::out& wants);
  /// It has no watch: there was no room for one, or the request failed.
  void look_again(std::uint64_t contender, engine::out& wants);

  void begin(engine::out&) override {}
  void connected(engine::out&) override { connected_ = true; }
  void disconnected(engine::out&) override { connected_ = false; }
  void session_over(const engine::session_end&, engine::out&) override;
  void timer(engine::out& wants) override;
  void stop(const detail::failure&, engine::out&) override {}
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  struct look {
    std::uint64_t contender;
    engine::instant due;
  };

  /// The next one that is due, which leaves its queue. Null: there is none. Those that have ended cost no turn.
  [[nodiscard]] contender_operation* take(const engine::out& wants);
  [[nodiscard]] bool may_take_turn(const engine::out& wants);

  const nodes& nodes_;
  std::deque<look> once_;
  std::deque<look> in_turn_;
  std::unordered_set<std::uint64_t> takes_turns_;  ///< those in `in_turn_`
  engine::instant interval_ends_{0};
  std::size_t turns_left_ = 0;
  bool connected_ = false;
};

}  // namespace zklock::operations
