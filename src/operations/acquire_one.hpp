#pragma once

#include <memory>
#include <utility>

#include "src/operations/acquire.hpp"

namespace zklock::operations {

/// A call that takes one contender.
class acquire_one final : public acquire {
 public:
  acquire_one(acquire_call&& call, acquire_request&& of, recipes::place_plan&& plan)
      : acquire(std::move(call)), target_(std::move(of.parts.front().target)), spec_(plan.places.front().spec) {}

  void on_place_event(std::size_t place, const place_event& what, engine::out& wants) override;

  void add_contenders(std::vector<const contender_operation*>& to) const override {
    if (contender_) {
      to.push_back(contender_.get());
    }
  }
  void covered(engine::out& wants) override;
  void timer_of_try(engine::out& wants) override;
  void stop_try(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due_of_try() const override;

 private:
  void contend(engine::out& wants) override;
  void refused(engine::out& wants);
  void stop_contender(recipes::refusal why, engine::out& wants);
  void try_again(engine::out& wants);
  void finish(acquire_result result, engine::out& wants);

  const std::shared_ptr<const detail::lock_target> target_;
  recipes::acquire_spec spec_;                      ///< says whether it was compared with a semaphore's limit
  std::shared_ptr<contender_operation> contender_;  ///< null between two tries
};

}  // namespace zklock::operations
