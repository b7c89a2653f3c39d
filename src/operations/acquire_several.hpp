#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "recipes/multi_contender.hpp"
#include "src/operations/acquire.hpp"
#include "src/zookeeper/client.hpp"

namespace zklock::operations {

/// A call that takes several contenders: of a multi-lock, or at permits in Curator's layout. What it gets is lost as one:
/// it stays until a part of that is released, or all is lost.
class acquire_several final : public acquire {
 public:
  acquire_several(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told)
      : acquire(std::move(wanted), std::move(told)) {}

  void place_granted(std::size_t place, engine::out& wants) override;
  void place_refused(std::size_t place, engine::out& wants) override;
  void place_void(std::size_t place, engine::out& wants) override;
  void place_lost(std::size_t place, loss_reason why, engine::out& wants) override;
  void lock_node_made(std::size_t place, recipes::code answer, bool without_root, engine::out& wants) override;
  void part_released(engine::out& wants) override { ungroup(wants); }

  void connected(engine::out& wants) override;
  void holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) override;
  void session_over(const engine::session_end& end, engine::out& wants) override;
  void reply(engine::tag as, client::reply&& answer, engine::out& wants) override;
  void covered(engine::out& wants) override;
  void timer(engine::out& wants) override;
  void closed(std::error_code, engine::out& wants) override { wants.finish(); }
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  using member = std::shared_ptr<contender>;

  void contend(engine::out& wants) override;
  void tell(const recipes::multi_contender_event& what, engine::out& wants);
  void perform(recipes::multi_action what, engine::out& wants);
  void add_member(std::size_t place, engine::out& wants);
  void begin_step(engine::out& wants);
  void let_pass(engine::out& wants);
  void make_lock_nodes(engine::out& wants);
  void create_all(engine::out& wants);
  void tell_created(const client::reply& answer, engine::out& wants);
  void read_token(engine::out& wants);
  void refuse(engine::out& wants);
  void try_again(engine::out& wants);
  void lose(loss_reason why, engine::out& wants);
  void dissolve(const recipes::contender_event& by, engine::out& wants);
  void ungroup(engine::out& wants);
  void finish_if_over(engine::out& wants);
  [[nodiscard]] std::shared_ptr<detail::hold> begin_part(std::size_t part, engine::out& wants);
  static void tell_member(const member& one, recipes::contender_event what, engine::out& wants);

  std::optional<recipes::multi_contender> machine_;  ///< of this try
  bool lock_nodes_missing_ = false;                  ///< one of its transactions has found it so
  decltype(recipes::place_plan::places) places_;     ///< what its contenders are: a part has one, or several
  std::vector<member> members_;                      ///< by place; null: not begun
  std::vector<member> enlisted_;                     ///< in a transaction that is not answered
  std::shared_ptr<detail::hold> hold_;               ///< once it is told, until it has ended
  std::vector<std::shared_ptr<detail::hold>> of_several_;  ///< parts of `hold_` that have several nodes each
  std::optional<engine::instant> retry_at_;
  detail::retry_pace pace_;
  std::optional<engine::instant> nodes_until_;  ///< lost, on a handle that lives on
  loss_reason ending_ = loss_reason::node_removed;  ///< why the machine says `lose` now
};

}  // namespace zklock::operations
