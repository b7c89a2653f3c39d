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
  if (several) {
    return std::make_shared<acquire_several>(std::move(call), std::move(wanted), std::move(plan));
  }
  if (in_turn) {
    return std::make_shared<acquire_in_turn>(std::move(call), std::move(wanted), std::move(plan));
  }
  return std::make_shared<acquire_one>(std::move(call), std::move(wanted), std::move(plan));
}

void acquire::begin(engine::out& wants) {
  if (wants.session().suspended && call_.once()) {
    call_.answer({nullptr, {errc::not_connected}});
    wants.finish();
    return;
  }
  call_.begin(wants);
  contend(wants);
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
