#include "src/operations/acquire_one.hpp"

#include <utility>
#include <variant>

#include <zklock/error.hpp>

namespace zklock::operations {

using recipes::refusal;

void acquire_one::contend(engine::out& wants) {
  contender_ = begin_contender(0, target_, {.spec = spec_}, false, wants);
}

void acquire_one::on_place_event(std::size_t, const place_event& what, engine::out& wants) {
  if (std::holds_alternative<place_is::granted>(what)) {
    wants.await_cover();  // goes on in covered()
  } else if (std::holds_alternative<place_is::waiting>(what)) {
    if (closes_circle(wants)) {
      stop_contender(refusal::abandoned, wants);
    }
  } else if (std::holds_alternative<place_is::refused>(what)) {
    refused(wants);
  } else {
    // Void, or lost before the caller was told of the grant: both are a try that has failed. (Never `released`.)
    wants.await_no_cover();
    try_again(wants);
  }
}

void acquire_one::covered(engine::out& wants) {
  blocker_of(*target_, spec_.kind).forget();
  finish({contender_->begin_hold(contender_->machine().token(), call_.to(), wants), {}}, wants);
}

void acquire_one::refused(engine::out& wants) {
  const recipes::contender& machine = contender_->machine();
  detail::failure told = failure_of(*contender_, machine.why_refused(), machine.refused_with());
  std::unique_ptr<blocking_node> blocked_by;
  if (machine.why_refused() == refusal::not_in_time && !call_.queue_seen() && !machine.queue_seen()) {
    told.ec = errc::not_connected;
  } else if (machine.why_refused() == refusal::not_in_time && call_.once()) {
    blocked_by = stood_behind(contender_.get(), *target_, spec_, wants);
    if (!blocked_by) {
      blocked_by = std::make_unique<blocking_node>(note_blocker(*contender_, wants));
      if (asks_what_bars(target_, spec_, wants)) {
        contender_->set_listener(nullptr);
        contender_.reset();
        return;
      }
    }
  }
  finish({nullptr, why_refused(std::move(told)), std::move(blocked_by)}, wants);
}

void acquire_one::try_again(engine::out& wants) {
  call_.note_progress(*contender_, spec_);
  contender_->set_listener(nullptr);
  contender_.reset();
  wants.begin_again();
}

void acquire_one::timer_of_try(engine::out& wants) {
  if (call_.is_late(wants.session().now) && contender_) {
    stop_contender(refusal::not_in_time, wants);
  }
}

/// Between two tries there is nothing to be stopped; the next one follows at this very instant.
std::optional<engine::instant> acquire_one::due_of_try() const { return contender_ ? call_.due() : std::nullopt; }

void acquire_one::stop_try(const detail::failure& why, engine::out& wants) {
  if (contender_) {
    stop_contender(why.ec == errc::session_closed ? refusal::closed : refusal::abandoned, wants);
  } else {
    finish({nullptr, why}, wants);
  }
}

void acquire_one::stop_contender(refusal why, engine::out& wants) {
  wants.call(contender_->number(),
             [one = contender_, why](engine::out& its) { one->dispatch(recipes::event::stop{why}, its); });
}

void acquire_one::finish(acquire_result result, engine::out& wants) {
  if (contender_) {
    contender_->set_listener(nullptr);
  }
  call_.answer(std::move(result));
  wants.finish();
}

}  // namespace zklock::operations
