#pragma once

#include <memory>
#include <utility>

#include "src/operations/acquire.hpp"

namespace zklock::operations {

/// A call that waits for its turn with the contender of its lock object.
class acquire_in_turn final : public acquire {
 public:
  acquire_in_turn(acquire_call&& call, acquire_request&& of, recipes::place_plan&&)
      : acquire(std::move(call)), part_(std::move(of.parts.front())) {}

  // ---- for the hand-over
  [[nodiscard]] const detail::wanted_part& part() const noexcept { return part_; }
  void granted(std::shared_ptr<detail::hold> hold, engine::out& wants) { finish({std::move(hold), {}}, wants); }
  void refused(const detail::failure& why, const blocking_node& blocked_by, engine::out& wants) {
    if (!asks_what_bars(part_.target, part_.spec, wants)) {
      finish({nullptr, why, std::make_unique<blocking_node>(blocked_by)}, wants);
    }
  }

  /// It waits, in a place that it shares.
  void on_place_event(std::size_t, const place_event& what, engine::out& wants) override;
  void add_contenders(std::vector<const contender_operation*>& to) const override;
  [[nodiscard]] const contender_operation* waits_at() const override;
  void timer_of_try(engine::out& wants) override;
  void stop_try(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due_of_try() const override { return call_.due(); }

 private:
  void contend(engine::out& wants) override;
  void leave(const detail::failure& why, engine::out& wants, std::unique_ptr<blocking_node> behind = nullptr);
  void finish(acquire_result result, engine::out& wants);

  const detail::wanted_part part_;
};

}  // namespace zklock::operations
