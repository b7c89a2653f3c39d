#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "recipes/multi_contender.hpp"
#include "src/operations/acquire.hpp"
#include "src/port/client.hpp"

namespace zklock::operations {

/// A call that takes several contenders: of a multi-lock, or at permits in Curator's layout. When it is granted a joint_hold
/// goes on in its place.
class acquire_several final : public acquire {
 public:
  acquire_several(acquire_call&& call, acquire_request&& of, recipes::place_plan&& plan)
      : acquire(std::move(call)),
        parts_(std::move(of.parts)),
        of_multi_lock_(of.of_multi_lock),
        plan_(std::move(plan)) {}

  void on_place_event(std::size_t place, const place_event& what, engine::out& wants) override;

  [[nodiscard]] bool has_several() const noexcept override { return true; }
  void add_contenders(std::vector<const contender_operation*>& to) const override;
  void connected(engine::out& wants) override;
  void session_over(const engine::session_end& end, engine::out& wants) override;
  void reply_to_try(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void covered(engine::out& wants) override;
  void timer_of_try(engine::out& wants) override;
  void closed(std::error_code, engine::out& wants) override { wants.finish(); }
  void stop_try(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due_of_try() const override;

 private:
  using member = std::shared_ptr<contender_operation>;

  void contend(engine::out& wants) override;
  void dispatch(const recipes::multi_contender_event& what, engine::out& wants);
  void perform(recipes::multi_action what, engine::out& wants);
  void begin_step(engine::out& wants);
  void let_pass(engine::out& wants);
  void note_leases(const engine::out& wants) const;
  void dispatch_created(const client::reply_view& answer, engine::out& wants);
  void dissolve(engine::out& wants);
  void finish_if_over(engine::out& wants);

  const detail::wanted_parts parts_;
  const bool of_multi_lock_;
  recipes::place_plan plan_;  ///< its specs say which of them were compared with a semaphore's limit
  std::optional<recipes::multi_contender> machine_;  ///< of this try
  std::vector<member> members_;                      ///< by place; null: not begun. Empty: between two tries, or over
  std::vector<member> enlisted_;                     ///< in a transaction that is not answered
  std::vector<lock_node_making> making_;             ///< by place
  engine::retry_timer retry_;
};

}  // namespace zklock::operations
