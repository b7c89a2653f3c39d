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
  std::unique_ptr<seldom> reads_first;
  if (call.once() && !wanted.of_multi_lock) {
    reads_first = std::make_unique<seldom>();
    reads_first->reader.emplace(wanted.parts.front().target, wanted.parts.front().spec);
  }
  std::shared_ptr<acquire> made;
  if (several) {
    made = std::make_shared<acquire_several>(std::move(call), std::move(wanted), std::move(plan));
  } else if (in_turn) {
    made = std::make_shared<acquire_in_turn>(std::move(call), std::move(wanted), std::move(plan));
  } else {
    made = std::make_shared<acquire_one>(std::move(call), std::move(wanted), std::move(plan));
  }
  made->seldom_ = std::move(reads_first);
  return made;
}

void acquire::begin(engine::out& wants) {
  if (wants.session().suspended && call_.once()) {
    end({errc::not_connected}, wants);
    return;
  }
  call_.begin(wants);
  if (!seldom_ || !seldom_->reader || !follow(seldom_->reader->begin(*among_, wants), wants)) {
    contend(wants);
  }
}

// ---- while one try reads whether the lock is busy -------------------------------------------------------------------

bool acquire::follow(busy_reader::verdict seen, engine::out& wants) {
  reads_ = seen == busy_reader::verdict::asks;
  if (seen == busy_reader::verdict::busy) {
    call_.answer({.blocked_by = std::make_unique<blocking_node>(seldom_->reader->blocked_by())});
    wants.finish();
  }
  if (const auto time = seldom_->reader->time_to_stand(); !reads_ && time.count() > 0) {
    call_.stand_until(wants.session().now + time);
    seldom_->stands_behind = std::make_unique<blocking_node>(seldom_->reader->blocked_by());
  }
  if (!reads_) {
    seldom_->reader.reset();
  }
  return seen != busy_reader::verdict::contend;
}

bool acquire::asks_what_bars(const std::shared_ptr<const detail::lock_target>& target,
                             const recipes::acquire_spec& wanted, engine::out& wants) {
  if (!call_.goes_at_once() || looked_again_ || !blocker_of(*target, wanted.kind).is_to_be_asked(wanted)) {
    return false;
  }
  looked_again_ = true;
  busy_reader& reader = extra().reader.emplace(target, wanted);
  reader.look_again();
  if (!follow(reader.begin(*among_, wants), wants)) {
    wants.begin_again();
  }
  return true;
}

void acquire::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == slow_wait::listed || as == slow_wait::read) {
    seldom_->slow->answered(as, answer, wants);
  } else if (as != busy_reader::asked) {
    reply_to_try(as, answer, wants);
  } else if (reads_ && !follow(seldom_->reader->answered(answer, wants), wants)) {
    begin(wants);
  }
}

void acquire::connection_closed(engine::out& wants) {
  if (reads_ && looked_again_) {
    end({}, wants);
  } else if (std::exchange(reads_, false)) {
    seldom_->reader.reset();
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
    end(looked_again_ ? detail::failure() : detail::failure{errc::not_connected}, wants);
  }
}

const contender_operation* acquire::waits_at() const {
  std::vector<const contender_operation*> contenders;
  add_contenders(contenders);
  const auto first = std::find_if(contenders.begin(), contenders.end(),
                                  [](const contender_operation* one) { return !one->machine().is_granted(); });
  return first == contenders.end() ? nullptr : *first;
}

void acquire::look_at_slow_wait(std::chrono::nanoseconds waited, engine::out& wants) {
  const contender_operation* const at = waits_at();
  if (!wants.session().connected || at == nullptr ||
      !among_->registry.may_report(at->requests().lock_node(), wants.session().now, waited)) {
    return;
  }
  const contender_requests& of = at->requests();
  extra().slow.emplace(of.target().path, of.lock_node(), at->machine().wanted(), waited).begin(wants);
}

void acquire::stop(const detail::failure& why, engine::out& wants) { reads_ ? end(why, wants) : stop_try(why, wants); }

std::optional<engine::instant> acquire::due() const { return reads_ ? call_.due() : due_of_try(); }

void acquire::end(detail::failure why, engine::out& wants) {
  reads_ = false;
  call_.answer({nullptr, std::move(why)});
  wants.finish();
}

std::unique_ptr<blocking_node> acquire::stood_behind(const contender_operation* one, const detail::lock_target& target,
                                                     const recipes::acquire_spec& wanted, engine::out& wants) {
  if (!seldom_ || !seldom_->stands_behind || one == nullptr || one->machine().own().empty()) {
    return nullptr;  // no node of it has told that one's process
  }
  const std::string& node = seldom_->stands_behind->path;
  blocker_of(target, wanted.kind).is_held(wants.session().id, std::string_view(node).substr(node.rfind('/') + 1));
  seldom_->stands_behind->data.reset();  // it may have gone since it was read
  return std::move(seldom_->stands_behind);
}

acquire::seldom& acquire::extra() {
  if (!seldom_) {
    seldom_ = std::make_unique<seldom>();
  }
  return *seldom_;
}

// ---- a circle -------------------------------------------------------------------------------------------------------

bool acquire::closes_circle(engine::out& wants) {
  if (call_.owner() == 0 || !call_.waits_for_ever() || (seldom_ && seldom_->circle.ec)) {
    return false;
  }
  std::optional<detail::failure> circle = circle_of(*this, *among_, wants.session().now);
  if (circle) {
    extra().circle = std::move(*circle);
  }
  return circle.has_value();
}

detail::failure acquire::why_refused(detail::failure by_contender) {
  return seldom_ && seldom_->circle.ec ? std::exchange(seldom_->circle, {}) : std::move(by_contender);
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
