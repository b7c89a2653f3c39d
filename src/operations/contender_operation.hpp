#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "recipes/contender.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/meters.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_timer.hpp"
#include "src/operations/contender_requests.hpp"
#include "src/operations/observed_lock.hpp"
#include "src/operations/place_listener.hpp"
#include "src/operations/release.hpp"
#include "src/operations/session_nodes.hpp"

namespace zklock::operations {

/// One contender, from before its create until its node is known to be gone: does what its machine says, and tells the
/// operation that it is a place of. It outlives the call that it contends for: it has the hold, and its release.
class contender_operation final : public engine::operation, public node_link {
 public:
  /// `retry`: of the contender that it takes the place of.
  contender_operation(recipes::contender&& machine, contender_requests&& requests, const engine::retry_timer& retry,
                      session_nodes& among);

  /// From here on it tells that one, which takes itself away (null) before it ends.
  void set_listener(place_listener* listener, std::size_t place = 0) noexcept;
  [[nodiscard]] const place_listener* listener() const noexcept { return listener_; }
  /// Of several that stand for one lock: observers are told by this one what becomes of it.
  void speak_for_lock() noexcept { speaks_for_lock_ = true; }
  /// Its listener tells observers that a call waits, not itself.
  void leave_place_to_listener() noexcept { enqueued_ = true; }
  /// Null: it has not begun, or has ended.
  [[nodiscard]] const recipes::session_queue* queue() const noexcept { return queue_; }
  [[nodiscard]] recipes::session_queue::place place() const noexcept {
    return recipes::session_queue::place_of(in_queue_);
  }
  /// It tells that it waits.
  void tell_of_wait() noexcept { tells_of_wait_ = true; }
  /// Its place among this session's contenders at its lock node is known.
  [[nodiscard]] bool has_place() const noexcept { return queue_ != nullptr && in_queue_.named; }

  [[nodiscard]] const recipes::contender& machine() const noexcept { return machine_; }
  [[nodiscard]] contender_requests& requests() noexcept { return requests_; }
  [[nodiscard]] const contender_requests& requests() const noexcept { return requests_; }
  [[nodiscard]] const engine::retry_timer& retry() const noexcept { return retry_; }
  /// Another client wants the lock.
  [[nodiscard]] bool asked_to_let_go() const noexcept { return asked_to_let_go_; }
  /// Null: its caller was told of no grant, or the hold has ended.
  [[nodiscard]] const std::shared_ptr<detail::hold>& hold() const noexcept { return hold_; }

  void dispatch(const recipes::contender_event& what, engine::out& wants);
  /// The grant is to be told to its caller. Once more: its next turn, whose hold takes the place of the one before.
  std::shared_ptr<detail::hold> begin_hold(recipes::fencing_token token, const grantee& to, engine::out& wants);
  /// Its hold is given back, and the node stays for its next turn: no hold till then.
  void rest(engine::out& wants);
  /// Its node is to be watched. One that is kept is not, till its next turn: others that come to its lock node are, and its own
  /// going tells likewise (F83).
  void look_after_own(engine::out& wants);
  /// What is held is lost. On a handle that lives on its node goes at `node_until`.
  void lose(loss_reason why, std::optional<engine::instant> node_until, engine::out& wants);
  /// Behind such a loss its node stands till then. Nothing: it is gone, or goes with the session.
  [[nodiscard]] std::optional<engine::instant> node_until(loss_reason why, const engine::out& wants) const;
  /// Its hold is lost if its own bound is over.
  void check_bound(engine::out& wants);
  /// `caller` may be null.
  void release_hold(std::shared_ptr<release_receiver> caller, engine::out& wants);

  void begin(engine::out& wants) override;
  void connected(engine::out& wants) override;
  void disconnected(engine::out& wants) override { dispatch(recipes::event::disconnected{}, wants); }
  void session_over(const engine::session_end& end, engine::out& wants) override;
  void holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void watch_fired(engine::tag as, client::node_event what, engine::out& wants) override;
  void watch_refused(engine::tag as, engine::out& wants) override;
  void timer(engine::out& wants) override;
  void closed(std::error_code result, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  enum class own_watch : std::uint8_t {
    none,
    asked,    ///< it stands, or its answer is to come
    refused,  ///< there was no room for it: the contender looks at its node from time to time
  };
  void enter(engine::out& wants);
  void perform(recipes::action what, engine::out& wants);
  void show(const recipes::event::listed& list, engine::out& wants);
  void tell_of_place(const recipes::contender_event& what, engine::out& wants);
  void notify(const place_event& what, engine::out& wants);
  void own_watched(const recipes::contender_event& answer, engine::out& wants);
  void note_own_data(const client::reply_view& own, engine::out& wants);
  void report_revocation(engine::out& wants);
  void finish(engine::out& wants);
  std::shared_ptr<detail::hold> take_hold();
  void end_hold(engine::out& wants);
  /// Where its lock is counted.
  [[nodiscard]] detail::lock_meter::side_meter& side_meter() const;
  void end_release_unconfirmed();

  recipes::contender machine_;
  contender_requests requests_;
  engine::retry_timer retry_;
  session_nodes& among_;
  place_listener* listener_ = nullptr;
  recipes::session_queue* queue_ = nullptr;  ///< from its begin to its end
  recipes::session_queue::member in_queue_;
  std::shared_ptr<detail::hold> hold_;                   ///< once it is told, until it has ended
  engine::instant node_until_ = engine::instant::max();  ///< lost, on a handle that lives on
  release release_;
  std::uint32_t place_ = 0;  ///< among the listener's
  own_watch own_watch_ = own_watch::none;
  loss_reason ending_ = loss_reason::node_removed;  ///< why the machine says `lose` now
  std::int32_t version_ = 0;                        ///< of its node, when that was read last as a writer's
  /// Observers are told of its hold.
  [[nodiscard]] bool is_told_of() const noexcept { return requests_.is_at_target() || speaks_for_lock_; }

  bool tells_of_wait_ : 1 = false;
  bool speaks_for_lock_ : 1 = false;
  bool enqueued_ : 1 = false;       ///< observers know
  bool listed_ : 1 = false;         ///< its queue, once
  bool relisted_ : 1 = false;       ///< and again
  bool hold_released_ : 1 = false;  ///< by its caller: not lost, not refused
  bool asked_to_let_go_ : 1 = false;
  bool rested_ : 1 = false;          ///< no call holds it, since one did
  bool unwatched_ : 1 = false;       ///< while it was kept
  bool marks_own_ : 1 = false;       ///< the next change of its node is by itself
  bool looked_at_once_ : 1 = false;  ///< behind the last change by another client
};

}  // namespace zklock::operations
