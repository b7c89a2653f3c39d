#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "recipes/local_turns.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/contender_operation.hpp"
#include "src/operations/place_listener.hpp"
#include "src/operations/release.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

class acquire_in_turn;

/// Local hand-over: the one contender of the calls of one lock object, which take turns with it. Does what its machine says.
/// It is under way while one of them holds or waits, and is begun again by the next.
class hand_over final : public place_listener {
 public:
  explicit hand_over(const recipes::turn_bounds& within) : machine_(within) {}

  void join(acquire_in_turn& call, bool once, session_nodes& among, engine::out& wants);
  void leave(std::uint64_t call, engine::out& wants);
  /// A server has answered one of its contenders since it was begun.
  [[nodiscard]] bool queue_seen() const noexcept;
  /// For tests: how many calls wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return machine_.waiting(); }

  // ---- of the turn that has begun last
  [[nodiscard]] bool would_pass(engine::instant now) const noexcept;
  /// `caller` may be null.
  void release(std::shared_ptr<release_receiver> caller, engine::out& wants);
  /// Its contender is its own from here on: it is downgraded.
  void end(engine::out& wants) { dispatch(recipes::local_event::downgraded{}, wants); }

  /// Whom no call holds goes; who holds goes behind it.
  void give_way(engine::out& wants) { dispatch(recipes::local_event::wanted{wants.session().now}, wants); }

  void begin(engine::out& wants) override;
  void disconnected(engine::out& wants) override { give_way(wants); }
  void timer(engine::out& wants) override { dispatch(recipes::local_event::idled{wants.session().now}, wants); }
  [[nodiscard]] std::optional<engine::instant> due() const override;
  void on_place_event(std::size_t place, const place_event& what, engine::out& wants) override;
  void covered(engine::out& wants) override { dispatch(recipes::local_event::covered{}, wants); }
  void add_waiting_calls(std::vector<const acquire*>& to) const override;
  /// Null: none contends for it.
  [[nodiscard]] const contender_operation* its_contender() const noexcept { return contender_.get(); }
  void holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void dispatch(const recipes::local_turns_event& what, engine::out& wants);
  void perform(const recipes::local_action& what, engine::out& wants);
  /// What the machine is at, and what there is for it.
  [[nodiscard]] bool agrees() const;
  void begin_turn(std::uint64_t call, std::uint32_t turn, engine::out& wants);
  void refuse(std::uint64_t call, engine::out& wants);
  void tell_of_wait(std::uint64_t call, acquire_in_turn& one, engine::out& wants);
  /// The contender is on its own from here on.
  [[nodiscard]] std::shared_ptr<contender_operation> take_contender(engine::out& wants);

  recipes::local_turns machine_;
  session_nodes* among_ = nullptr;                   ///< set by the first call
  std::map<std::uint64_t, acquire_in_turn*> calls_;  ///< that wait, by number
  std::shared_ptr<contender_operation> contender_;   ///< null: it is to be begun, or there is none
  engine::retry_timer retry_;                        ///< of the contender before
  bool queue_seen_ = false;                          ///< by one before
  detail::failure failure_;                          ///< what calls are refused with now
  blocking_node blocked_by_;                         ///< likewise
  loss_reason lost_by_ = loss_reason::node_removed;  ///< why the machine says `lose` now
  std::string kept_at_;                              ///< the lock node, while it is kept
  std::shared_ptr<release_receiver> releasing_;      ///< of the turn before, until the next one begins
};

}  // namespace zklock::operations
