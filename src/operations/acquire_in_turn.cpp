#include "src/operations/acquire_in_turn.hpp"

#include <utility>

#include <zklock/error.hpp>

#include "src/operations/hand_over.hpp"

namespace zklock::operations {

void acquire_in_turn::contend(engine::out& wants) {
  const std::shared_ptr<hand_over>& turns = part().turns;
  if (turns->number() == 0) {
    wants.begin(turns);
  }
  wants.call(turns, [this, turns](engine::out& its) { turns->join(*this, call_.goes_at_once(), *among_, its); });
}

void acquire_in_turn::on_place_event(std::size_t, const place_event&, engine::out& wants) {
  if (closes_circle(wants)) {
    leave(why_refused({}), wants);
  }
}

const contender_operation* acquire_in_turn::waits_at() const { return part().turns->its_contender(); }

void acquire_in_turn::add_contenders(std::vector<const contender_operation*>& to) const {
  const contender_operation* const one = part().turns->its_contender();
  if (one != nullptr && !one->machine().is_granted()) {  // else another call has the turn
    to.push_back(one);
  }
}

void acquire_in_turn::timer_of_try(engine::out& wants) {
  if (call_.is_late(wants.session().now)) {
    const bool told = part().turns->queue_seen();
    leave({told || call_.queue_seen() ? std::error_code() : make_error_code(errc::not_connected)}, wants,
          told ? stood_behind(part().turns->its_contender(), *part().target, part().spec, wants) : nullptr);
  }
}

void acquire_in_turn::stop_try(const detail::failure& why, engine::out& wants) { leave(why, wants); }

void acquire_in_turn::leave(const detail::failure& why, engine::out& wants, std::unique_ptr<blocking_node> behind) {
  const std::shared_ptr<hand_over>& turns = part().turns;
  wants.call(turns, [turns, mine = number()](engine::out& its) { turns->leave(mine, its); });
  finish({nullptr, why, std::move(behind)}, wants);
}

void acquire_in_turn::finish(acquire_result result, engine::out& wants) {
  call_.answer(std::move(result));
  wants.finish();
}

}  // namespace zklock::operations
