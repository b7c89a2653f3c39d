#include "src/operations/hand_over.hpp"

#include <utility>
#include <variant>

#include <zklock/error.hpp>

#include "recipes/assert.hpp"
#include "recipes/places.hpp"
#include "src/operations/acquire_in_turn.hpp"

namespace zklock::operations {

namespace local_event = recipes::local_event;
using recipes::refusal;

// ---- the calls ------------------------------------------------------------------------------------------------------

void hand_over::join(acquire_in_turn& call, bool once, session_nodes& among, engine::out& wants) {
  among_ = &among;
  calls_.emplace(call.number(), &call);
  failure_ = {};
  blocked_by_ = {};
  dispatch(local_event::joined{call.number(), once}, wants);
  const bool waits = calls_.contains(call.number());
  if (waits &&
      (machine_.now() == recipes::local_turns::state::held || (contender_ && contender_->machine().is_waiting()))) {
    tell_of_wait(call.number(), call, wants);
  }
}

void hand_over::tell_of_wait(std::uint64_t call, acquire_in_turn& one, engine::out& wants) {
  const detail::wanted_part& what = one.part();
  tell_enqueued(*what.target, what.spec.kind, one.owner(), 0, wants);
  if (one.waits_for_ever()) {
    wants.call(call, [&one](engine::out& its) { one.on_place_event(0, place_is::waiting{}, its); });
  }
}

void hand_over::add_waiting_calls(std::vector<const acquire*>& to) const {
  for (const auto& [call, one] : calls_) {
    to.push_back(one);
  }
}

void hand_over::leave(std::uint64_t call, engine::out& wants) {
  calls_.erase(call);
  dispatch(local_event::left{call}, wants);
}

bool hand_over::queue_seen() const noexcept {
  return queue_seen_ || (contender_ && contender_->machine().queue_seen());
}

void hand_over::refuse(std::uint64_t call, engine::out& wants) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) {
    return;
  }
  wants.call(call, [one = found->second, why = failure_, blocked_by = blocked_by_](engine::out& its) {
    one->refused(why, blocked_by, its);
  });
  calls_.erase(found);
}

// ---- what happens to the contender ----------------------------------------------------------------------------------

/// Also behind begin_again(), when another contender is to be made.
void hand_over::begin(engine::out& wants) {
  if (machine_.now() != recipes::local_turns::state::contending || contender_) {
    return;
  }
  if (wants.session().suspended && machine_.one_try()) {
    failure_ = {errc::not_connected};
    dispatch(local_event::refused{true}, wants);
    return;
  }
  const detail::wanted_part& what = calls_.begin()->second->part();  // the same for all of them
  recipes::place_plan plan;
  plan.add(what.spec);
  const recipes::place& as = plan.places.front();
  recipes::contender machine(wants.session().world->next_id(), as.spec, machine_.one_try());
  if (machine_.keeps() && wants.share_of_watches() < lock_node_watch::share_at_most) {
    machine.watch_for_others();
  }
  contender_ = std::make_shared<contender_operation>(std::move(machine), contender_requests(what.target, as.below, 0),
                                                     retry_, *among_);
  contender_->set_listener(this);
  contender_->tell_of_wait();
  contender_->leave_place_to_listener();
  wants.begin(contender_);
}

void hand_over::on_place_event(std::size_t, const place_event& what, engine::out& wants) {
  if (std::holds_alternative<place_is::granted>(what)) {
    const recipes::contender& machine = contender_->machine();
    dispatch(local_event::granted{wants.session().now, machine.passed_alone(), machine.keeps()}, wants);
  } else if (std::holds_alternative<place_is::waiting>(what)) {
    for (const auto& [call, one] : calls_) {
      tell_of_wait(call, *one, wants);
    }
  } else if (std::holds_alternative<place_is::refused>(what)) {
    const recipes::contender& machine = contender_->machine();
    const bool not_in_time = machine.why_refused() == refusal::not_in_time;
    failure_ = failure_of(*contender_, machine.why_refused(), machine.refused_with());
    if (not_in_time && !queue_seen()) {
      failure_.ec = errc::not_connected;
    } else if (not_in_time && machine_.one_try()) {
      blocked_by_ = note_blocker(*contender_, wants);
    }
    dispatch(local_event::refused{not_in_time}, wants);
  } else if (std::holds_alternative<place_is::wanted>(what)) {
    give_way(wants);
    if (contender_) {  // a call holds it; what has gone is its own node, perhaps
      wants.call(contender_,
                 [one = contender_](engine::out& its) { one->dispatch(recipes::event::look_after_own{}, its); });
    }
  } else if (!std::holds_alternative<place_is::asked_for>(what)) {  // void or lost; never `released`
    const auto* const lost = std::get_if<place_is::lost>(&what);
    lost_by_ = lost != nullptr ? lost->why : loss_reason::node_removed;
    dispatch(local_event::lost{}, wants);
  }
}

void hand_over::holds_over(loss_reason, engine::instant, engine::out& wants) {
  dispatch(local_event::holds_over{}, wants);
}

void hand_over::stop(const detail::failure& why, engine::out& wants) {
  failure_ = why;
  dispatch(local_event::stopped{}, wants);
}

namespace {

/// Then its node has to go before another call holds: for a write that may still be applied, or for another client that asks.
bool holds_for_the_last_time(const std::shared_ptr<contender_operation>& holder) noexcept {
  return holder && holder->hold() && (holder->hold()->has_open_writes() || holder->asked_to_let_go());
}

}  // namespace

bool hand_over::would_pass(engine::instant now) const noexcept {
  return !holds_for_the_last_time(contender_) && machine_.would_pass(now);
}

void hand_over::release(std::shared_ptr<release_receiver> caller, engine::out& wants) {
  if (machine_.now() != recipes::local_turns::state::held) {
    if (caller) {
      caller->complete({errc::lost});
    }
    return;
  }
  releasing_ = std::move(caller);
  const bool no_room = machine_.waiting() == 0 && wants.share_of_watches() >= lock_node_watch::share_at_most;
  const bool last = holds_for_the_last_time(contender_) || no_room;
  dispatch(local_event::released{wants.session().now, last, wants.session().timeout}, wants);
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

std::optional<engine::instant> hand_over::due() const {
  return machine_.now() == recipes::local_turns::state::kept ? std::optional(machine_.idle_until()) : std::nullopt;
}

void hand_over::dispatch(const recipes::local_turns_event& what, engine::out& wants) {
  const bool was_kept = machine_.now() == recipes::local_turns::state::kept;
  for (const recipes::local_action& one : machine_.resume(what)) {
    perform(one, wants);
  }
  if (was_kept && machine_.now() != recipes::local_turns::state::kept) {
    among_->kept.erase(kept_at_);
  }
  ZKLOCK_ASSERT(agrees());
  if (machine_.now() == recipes::local_turns::state::idle) {
    queue_seen_ = false;
    retry_ = {};
    wants.finish();
  }
}

bool hand_over::agrees() const {
  switch (machine_.now()) {
    case recipes::local_turns::state::idle: return !contender_ && calls_.empty();
    case recipes::local_turns::state::contending: return !calls_.empty();
    case recipes::local_turns::state::covering: return contender_ && !calls_.empty();
    case recipes::local_turns::state::held: return contender_ && contender_->hold();
    case recipes::local_turns::state::kept: return contender_ && calls_.empty() && among_->kept_at(kept_at_) == this;
  }
  return false;
}

void hand_over::perform(const recipes::local_action& what, engine::out& wants) {
  using kind = recipes::local_action::kind;
  switch (what.is) {
    case kind::contend: wants.begin_again(); break;
    case kind::await_cover: wants.await_cover(); break;
    case kind::begin_turn: begin_turn(what.call, what.turn, wants); break;
    case kind::confirm:
      if (const auto caller = std::exchange(releasing_, nullptr)) {
        caller->complete({});
      }
      break;
    case kind::keep:
      contender_->rest(wants);
      kept_at_ = contender_->requests().lock_node();
      among_->kept.insert_or_assign(kept_at_, this);
      break;
    case kind::lose:
      if (contender_) {
        wants.call(contender_, [one = contender_, why = lost_by_](engine::out& its) {
          one->lose(why, one->node_until(why, its), its);
        });
      }
      break;
    case kind::stop:
      if (const auto one = take_contender(wants)) {
        wants.call(one, [one](engine::out& its) { one->dispatch(recipes::event::stop{refusal::abandoned}, its); });
      }
      break;
    case kind::remove:
      if (const auto one = take_contender(wants)) {
        wants.call(one, [one, caller = std::exchange(releasing_, nullptr)](engine::out& its) {
          one->release_hold(caller, its);
        });
      }
      break;
    case kind::let_go:
      static_cast<void>(take_contender(wants));
      if (const auto caller = std::exchange(releasing_, nullptr)) {
        caller->complete({errc::lost});
      }
      break;
    case kind::refuse: refuse(what.call, wants); break;
    case kind::refuse_all:
      while (!calls_.empty()) {
        refuse(calls_.begin()->first, wants);
      }
      break;
  }
}

void hand_over::begin_turn(std::uint64_t call, std::uint32_t turn, engine::out& wants) {
  among_->turns[contender_->number()] = this;
  blocker_of(contender_->requests().target(), contender_->machine().wanted().kind).forget();
  acquire_in_turn* const one = calls_.at(call);
  std::shared_ptr<detail::hold> hold =
      contender_->begin_hold({contender_->machine().token().czxid, turn}, one->to(), wants);
  calls_.erase(call);
  wants.call(call, [one, hold = std::move(hold)](engine::out& its) { one->granted(hold, its); });
}

std::shared_ptr<contender_operation> hand_over::take_contender(engine::out& wants) {
  if (contender_) {
    queue_seen_ = queue_seen();
    retry_ = contender_->retry();
    among_->turns.erase(contender_->number());
    contender_->set_listener(nullptr);
  }
  wants.await_no_cover();
  return std::exchange(contender_, nullptr);
}

}  // namespace zklock::operations
