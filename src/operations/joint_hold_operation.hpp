#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "recipes/joint_hold.hpp"
#include "src/engine/hold.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/contender_operation.hpp"
#include "src/operations/place_listener.hpp"

namespace zklock::operations {

/// What a call that took several contenders has got: does what its machine says. It takes the place of that call, and stays
/// until a part is released, or all is lost; on a handle that lives on, until its nodes have to go.
class joint_hold_operation final : public place_listener {
 public:
  struct held_place {
    std::shared_ptr<contender_operation> one;  ///< null: it is gone
    std::size_t part;
    bool passing;  ///< nothing is held by it
    bool in_turn;  ///< its node was created by itself, so that its token is its own
  };
  /// `of_multi_lock`: a part of which can be to blame.
  joint_hold_operation(std::vector<held_place> places, bool of_multi_lock)
      : machine_(places.size(), of_multi_lock), places_(std::move(places)) {}

  /// Before it is begun: the hold that the caller is to be told; its contenders belong to it from here on. `token`: of all that
  /// one transaction has created.
  std::shared_ptr<detail::hold> begin_holds(const detail::wanted_parts& of, bool of_multi_lock,
                                            recipes::fencing_token token, const grantee& to, engine::out& wants);

  void begin(engine::out& wants) override;
  void on_place_event(std::size_t place, const place_event& what, engine::out& wants) override;
  void holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) override;
  void session_over(const engine::session_end& end, engine::out& wants) override;
  void timer(engine::out& wants) override;
  void closed(std::error_code, engine::out& wants) override { wants.finish(); }
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override { return nodes_until_; }

 private:
  /// Why the holds are over; on a handle that lives on: until when the nodes stand.
  struct loss {
    loss_reason why = loss_reason::none;
    engine::instant nodes_until{};
  };
  [[nodiscard]] std::shared_ptr<detail::hold> begin_part(std::size_t part,
                                                         const std::shared_ptr<const detail::lock_target>& of,
                                                         recipes::fencing_token token, const grantee& to,
                                                         engine::out& wants);
  void dispatch(const recipes::joint_hold_event& what, const loss& by, engine::out& wants);
  void perform(const recipes::joint_action& what, const loss& by, engine::out& wants);
  void end_hold(const detail::hold* blamed, const loss& by, engine::out& wants);
  void report_loss(loss_reason why, engine::out& wants);
  void tell_of_revocation(const held_place& of, engine::out& wants);
  void dispatch_to_place(std::size_t place, const recipes::contender_event& what, engine::out& wants);
  void ungroup(engine::out& wants);

  recipes::joint_hold machine_;
  std::vector<held_place> places_;
  std::shared_ptr<detail::hold> hold_;                     ///< until its loss is told
  std::vector<std::shared_ptr<detail::hold>> of_several_;  ///< parts of `hold_` that have several nodes each
  std::optional<engine::instant> nodes_until_;             ///< the machine keeps the nodes
};

}  // namespace zklock::operations
