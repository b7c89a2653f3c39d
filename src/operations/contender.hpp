#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/contender.hpp"
#include "recipes/places.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_pace.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/lock_node_making.hpp"
#include "src/operations/release.hpp"

namespace zklock::operations {

class acquire;
class holder_watch;
class nodes;

/// One contender, from before its create until its node is known to be gone: does what its machine says, and tells the
/// call that it contends for. It outlives that call: it has the hold, and its release.
class contender final : public engine::operation {
 public:
  struct settings {
    acquire* of;        ///< to be told; it detaches itself before it ends
    std::size_t place;  ///< among its contenders
    bool one_try;
    bool created_by_transaction;  ///< of all places: it does not create its node by itself
    nodes* registry;
    holder_watch* watch;
  };
  contender(const settings& how, const recipes::contender_id& id, const recipes::place& as,
            std::shared_ptr<const detail::lock_target> target, const detail::retry_pace& pace);

  [[nodiscard]] const recipes::contender& machine() const noexcept { return machine_; }
  [[nodiscard]] const detail::lock_target& target() const noexcept { return *target_; }
  [[nodiscard]] const detail::retry_pace& pace() const noexcept { return pace_; }
  [[nodiscard]] bool is_granted() const noexcept;
  [[nodiscard]] const std::shared_ptr<detail::hold>& hold() const noexcept { return hold_; }
  /// Below the root, with the name of the node.
  [[nodiscard]] std::string node(std::string_view name, const engine::out& wants) const;
  [[nodiscard]] client::request::create own_node(const engine::out& wants);

  void tell(const recipes::contender_event& what, engine::out& wants);
  void make_lock_node(engine::out& wants);
  /// The grant is to be told to its caller.
  std::shared_ptr<detail::hold> begin_hold(recipes::fencing_token token, engine::out& wants);
  void watch_soon(engine::out& wants) const;
  /// What is held is lost. On a handle that lives on its node goes at `node_until`.
  void lose(loss_reason why, std::optional<engine::instant> node_until, engine::out& wants);
  /// `caller` may be null.
  void give_back(std::shared_ptr<release_receiver> caller, engine::out& wants);
  /// From here on it tells no call.
  void detach() noexcept { how_.of = nullptr; }

  void begin(engine::out& wants) override;
  void connected(engine::out& wants) override;
  void disconnected(engine::out& wants) override;
  void session_over(const engine::session_end& end, engine::out& wants) override;
  void holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) override;
  void reply(engine::tag as, client::reply&& answer, engine::out& wants) override;
  void watch_fired(engine::tag as, client::node_event what, engine::out& wants) override;
  void watch_refused(engine::tag as, engine::out& wants) override;
  void timer(engine::out& wants) override;
  void closed(std::error_code result, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  void perform(recipes::action what, engine::out& wants);
  void tell_call(recipes::action what, engine::out& wants);
  [[nodiscard]] std::string lock_node(const engine::out& wants) const;
  void replace_with_reader(engine::out& wants);
  void own_watched(const client::reply& answer, engine::out& wants);
  void log_unmarked(recipes::code answer, engine::out& wants) const;
  void finish(engine::out& wants);

  settings how_;
  recipes::contender machine_;
  const std::shared_ptr<const detail::lock_target> target_;
  const std::string_view below_;  ///< where the lock node is, below the path that the user has named
  std::string data_;              ///< of the own node, if it may be marked
  detail::lock_node_making making_;
  detail::retry_pace pace_;
  std::optional<engine::instant> retry_at_;
  bool own_watch_stands_ = false;
  loss_reason ending_ = loss_reason::node_removed;  ///< why the machine says `lose` now
  std::shared_ptr<detail::hold> hold_;              ///< once it is told, until it has ended
  std::optional<engine::instant> node_until_;       ///< lost, on a handle that lives on
  release release_;
};

}  // namespace zklock::operations
