#include "src/operations/acquire.hpp"

#include <utility>

#include <zklock/error.hpp>

#include "src/operations/acquire_in_turn.hpp"
#include "src/operations/acquire_one.hpp"
#include "src/operations/acquire_several.hpp"

namespace zklock::operations {

std::shared_ptr<acquire> acquire::make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told) {
  recipes::place_plan plan = plan_of(wanted);
  const bool several = wanted.of_multi_lock || plan.places.size() > 1;
  const bool in_turn = !several && plan.places.front().exclusive && wanted.parts.front().turns;
  acquire_call call(std::move(wanted.terms), std::move(told));
  std::unique_ptr<first_look> look;
  if (call.once() && !wanted.of_multi_lock) {
    look = std::make_unique<first_look>(wanted.parts.front().target, wanted.parts.front().spec);
  }
  std::shared_ptr<acquire> made;
  if (several) {
    made = std::make_shared<acquire_several>(std::move(call), std::move(wanted), std::move(plan));
  } else if (in_turn) {
    made = std::make_shared<acquire_in_turn>(std::move(call), std::move(wanted), std::move(plan));
  } else {
    made = std::make_shared<acquire_one>(std::move(call), std::move(wanted), std::move(plan));
  }
  made->look_ = std::move(look);
  return made;
}

void acquire::begin(engine::out& wants) {
  if (wants.session().suspended && call_.once()) {
    call_.answer({nullptr, {errc::not_connected}});
    wants.finish();
    return;
  }
  call_.begin(wants);
  if (!look_ || !follow(look_->begin(*among_, wants), wants)) {
    contend(wants);
  }
}

bool acquire::follow(first_look::verdict seen, engine::out& wants) {
  looks_ = seen == first_look::verdict::asks;
  if (seen == first_look::verdict::busy) {
    call_.answer({.barred_by = std::make_unique<barring_node>(look_->barred_by())});
    wants.finish();
  }
  if (!looks_) {
    look_.reset();
  }
  return seen != first_look::verdict::contend;
}

void acquire::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == first_look::asked && looks_ && !follow(look_->answered(answer, wants), wants)) {
    begin(wants);
  }
}

void acquire::connection_closed(engine::out& wants) {
  if (std::exchange(looks_, false)) {
    look_.reset();
    wants.begin_again();
  }
}

bool acquire::ends_its_look(engine::out& wants) {
  const bool ends = looks_ && call_.is_late(wants.session().now);
  if (ends) {
    looks_ = false;
    call_.answer({nullptr, {errc::not_connected}});
    wants.finish();
  }
  return ends;
}

std::shared_ptr<contender_operation> acquire::begin_contender(std::size_t place,
                                                              const std::shared_ptr<const detail::lock_target>& of,
                                                              const recipes::place& as, bool created_in_transaction,
                                                              engine::out& wants) {
  const std::shared_ptr<contender_operation> one = call_.make_contender(of, as, created_in_transaction, *among_, wants);
  one->set_listener(this, place);
  wants.begin(one);
  return one;
}

}  // namespace zklock::operations
