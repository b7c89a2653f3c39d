#include "src/operations/acquire.hpp"

#include <array>
#include <utility>

#include <zklock/error.hpp>

#include "src/operations/acquire_in_turn.hpp"
#include "src/operations/acquire_one.hpp"
#include "src/operations/acquire_several.hpp"

namespace zklock::operations {
namespace {

template <class Call>
std::shared_ptr<acquire> made(acquire_call&& call, acquire_request&& of, recipes::place_plan&& plan) {
  return std::make_shared<Call>(std::move(call), std::move(of), std::move(plan));
}

/// For one contender, for several, for a turn with one: a line for each, since a program can be built without one of them.
constexpr std::array makers{
    made<acquire_one>,      // of acquire_one
    made<acquire_several>,  // of acquire_several
    made<acquire_in_turn>,  // of acquire_in_turn
};

}  // namespace

std::shared_ptr<acquire> acquire::make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told) {
  recipes::place_plan plan = plan_of(wanted);
  const bool several = wanted.of_multi_lock || plan.places.size() > 1;
  const bool in_turn = !several && plan.places.front().exclusive && wanted.parts.front().turns;
  acquire_call call(std::move(wanted.terms), std::move(told));
  return makers.at(in_turn ? 2 : several ? 1 : 0)(std::move(call), std::move(wanted), std::move(plan));
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

std::shared_ptr<contender> acquire::begin_contender(std::size_t place,
                                                    const std::shared_ptr<const detail::lock_target>& of,
                                                    const recipes::place& as, bool created_in_transaction,
                                                    engine::out& wants) {
  const std::shared_ptr<contender> one = call_.make_contender(of, as, created_in_transaction, *among_, wants);
  one->set_listener(this, place);
  wants.begin(one);
  return one;
}

}  // namespace zklock::operations
