#include "src/operations/acquire.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "src/operations/acquire_in_turn.hpp"
#include "src/operations/acquire_one.hpp"
#include "src/operations/acquire_several.hpp"
#include "src/operations/owner_circle.hpp"

namespace zklock::operations {

std::shared_ptr<acquire> acquire::make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told) {
  recipes::place_plan plan = plan_of(wanted);
  const bool several = wanted.of_multi_lock || plan.places.size() > 1;
  const bool in_turn = !several && plan.places.front().exclusive && wanted.parts.front().turns;
  acquire_call call(std::move(wanted.terms), std::move(told));
  std::unique_ptr<busy_reader> reader;
  if (call.once() && !wanted.of_multi_lock) {
    reader = std::make_unique<busy_reader>(wanted.parts.front().target, wanted.parts.front().spec);
  }
  std::shared_ptr<acquire> made;
  if (several) {
    made = std::make_shared<acquire_several>(std::move(call), std::move(wanted), std::move(plan));
  } else if (in_turn) {
    made = std::make_shared<acquire_in_turn>(std::move(call), std::move(wanted), std::move(plan));
  } else {
    made = std::make_shared<acquire_one>(std::move(call), std::move(wanted), std::move(plan));
  }
  made->reader_ = std::move(reader);
  return made;
}

void acquire::begin(engine::out& wants) {
  if (wants.session().suspended && call_.once()) {
    end({errc::not_connected}, wants);
    return;
  }
  call_.begin(wants);
  if (!reader_ || !follow(reader_->begin(*among_, wants), wants)) {
    contend(wants);
  }
}

// ---- while one try reads whether the lock is busy -------------------------------------------------------------------

bool acquire::follow(busy_reader::verdict seen, engine::out& wants) {
  reads_ = seen == busy_reader::verdict::asks;
  if (seen == busy_reader::verdict::busy) {
    call_.answer({.blocked_by = std::make_unique<blocking_node>(reader_->blocked_by())});
    wants.finish();
  }
  if (!reads_) {
    reader_.reset();
  }
  return seen != busy_reader::verdict::contend;
}

void acquire::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == slow_wait::listed || as == slow_wait::read) {
    slow_->answered(as, answer, wants);
  } else if (as != busy_reader::asked) {
    reply_to_try(as, answer, wants);
  } else if (reads_ && !follow(reader_->answered(answer, wants), wants)) {
    begin(wants);
  }
}

void acquire::connection_closed(engine::out& wants) {
  if (std::exchange(reads_, false)) {
    reader_.reset();
    wants.begin_again();
  }
}

void acquire::timer(engine::out& wants) {
  call_.timer(wants);
  if (const auto waited = call_.slow_by(wants.session().now)) {
    look_at_slow_wait(*waited, wants);
  }
  if (!reads_) {
    timer_of_try(wants);
  } else if (call_.is_late(wants.session().now)) {
    end({errc::not_connected}, wants);
  }
}

/// Of the first place that stands in the way.
void acquire::look_at_slow_wait(std::chrono::nanoseconds waited, engine::out& wants) {
  std::vector<const contender_operation*> contenders;
  add_contenders(contenders);
  const auto waits = std::find_if(contenders.begin(), contenders.end(),
                                  [](const contender_operation* one) { return !one->machine().is_granted(); });
  if (!wants.session().connected || waits == contenders.end() ||
      !among_->registry.may_report((*waits)->requests().lock_node(), wants.session().now, waited)) {
    return;
  }
  slow_ = std::make_unique<slow_wait>((*waits)->requests().target().path, (*waits)->requests().lock_node(),
                                      (*waits)->machine().wanted(), waited);
  slow_->begin(wants);
}

void acquire::stop(const detail::failure& why, engine::out& wants) { reads_ ? end(why, wants) : stop_try(why, wants); }

std::optional<engine::instant> acquire::due() const { return reads_ ? call_.due() : due_of_try(); }

void acquire::end(detail::failure why, engine::out& wants) {
  reads_ = false;
  call_.answer({nullptr, std::move(why)});
  wants.finish();
}

// ---- a circle -------------------------------------------------------------------------------------------------------

bool acquire::closes_circle(engine::out& wants) {
  if (call_.owner() == 0 || !call_.waits_for_ever() || circle_) {
    return false;
  }
  circle_ = circle_of(*this, *among_, wants.session().now);
  return circle_ != nullptr;
}

detail::failure acquire::why_refused(detail::failure by_contender) {
  return circle_ ? std::move(*std::exchange(circle_, nullptr)) : std::move(by_contender);
}

// ---- from there on --------------------------------------------------------------------------------------------------

std::shared_ptr<contender_operation> acquire::begin_contender(std::size_t place,
                                                              const std::shared_ptr<const detail::lock_target>& of,
                                                              const recipes::place& as, bool created_in_transaction,
                                                              engine::out& wants) {
  const std::shared_ptr<contender_operation> one = call_.make_contender(of, as, created_in_transaction, *among_, wants);
  one->set_listener(this, place);
  if (call_.owner() != 0 && call_.waits_for_ever()) {
    one->tell_of_wait();
  }
  wants.begin(one);
  return one;
}

}  // namespace zklock::operations
