#include "src/operations/acquire_one.hpp"

#include <utility>

#include <zklock/error.hpp>

namespace zklock::operations {

using recipes::refusal;

void acquire_one::contend(engine::out& wants) {
  contender_ = make_contender(0, plan().places.front(), false, wants);
  wants.begin(contender_);
}

void acquire_one::place_granted(std::size_t, engine::out& wants) { wants.await_cover(); }

void acquire_one::covered(engine::out& wants) {
  finish({contender_->begin_hold(contender_->machine().token(), wants), {}}, wants);
}

void acquire_one::place_refused(std::size_t, engine::out& wants) {
  const refusal why = contender_->machine().why_refused();
  detail::failure told = failure_of(*contender_, why, contender_->machine().refused_with());
  if (why == refusal::not_in_time && !queue_seen() && !contender_->machine().queue_seen()) {
    told.ec = errc::not_connected;
  }
  finish({nullptr, std::move(told)}, wants);
}

void acquire_one::place_void(std::size_t, engine::out& wants) { try_again(wants); }

/// The call has not been told of the grant: it is as if it had not been.
void acquire_one::place_lost(std::size_t, loss_reason, engine::out& wants) {
  wants.await_no_cover();
  try_again(wants);
}

void acquire_one::try_again(engine::out& wants) {
  note_progress(*contender_, 0);
  contender_->detach();
  contender_.reset();
  wants.begin_again();
}

void acquire_one::timer(engine::out& wants) {
  if (is_late(wants) && contender_) {
    stop_contender(refusal::not_in_time, wants);
  }
}

/// Between two tries there is nothing to be stopped; the next one follows at this very instant.
std::optional<engine::instant> acquire_one::due() const { return contender_ ? time_limit() : std::nullopt; }

void acquire_one::stop(const detail::failure& why, engine::out& wants) {
  if (contender_) {
    stop_contender(why.ec == errc::session_closed ? refusal::closed : refusal::abandoned, wants);
  } else {
    finish({nullptr, why}, wants);
  }
}

void acquire_one::stop_contender(refusal why, engine::out& wants) {
  wants.call(contender_->number(),
             [one = contender_, why](engine::out& its) { one->tell(recipes::event::stop{why}, its); });
}

void acquire_one::finish(acquire_result result, engine::out& wants) {
  if (contender_) {
    contender_->detach();
  }
  answer(std::move(result));
  wants.finish();
}

}  // namespace zklock::operations
