#include "src/engine/operation_table.hpp"

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include <zklock/error.hpp>

namespace zklock::engine {

void operation_table::begin(std::shared_ptr<operation> wanted, const std::optional<detail::failure>& refused,
                            instant now) {
  operation& one = *wanted;
  const bool stopped = one.number() == operation::stopped_early;
  const std::uint64_t number = ++last_;
  one.set_number(number);
  one.kept_ = std::move(wanted);
  operations_.insert(operations_.end(), one);
  const std::optional<detail::failure> why =
      stopped ? std::optional(detail::failure{make_error_code(errc::abandoned)}) : refused;
  call(number, now, [&why](operation& it, out& wants) { why ? it.stop(*why, wants) : it.begin(wants); });
}

void operation_table::stop(const std::shared_ptr<operation>& unwanted, const detail::failure& why, instant now) {
  if (unwanted->number() == 0) {
    unwanted->set_number(operation::stopped_early);
    return;
  }
  call(unwanted->number(), now, [&why](operation& it, out& wants) { it.stop(why, wants); });
}

bool operation_table::call(std::uint64_t number, instant now, event_ref what) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return false;
  }
  const std::shared_ptr<operation> kept = found->kept_;
  const session_facts facts = host_.facts(now);
  out wants(facts, number);
  const bool outermost = !std::exchange(busy_, true);
  what(*kept, wants);
  boost::container::small_vector<event, 2> behind;
  for (any_wish& one : wants.wishes()) {
    if (event told = apply(number, std::move(one), now)) {
      behind.push_back(std::move(told));
    }
  }
  for (const event& told : behind) {
    if (kept->number() == number) {  // else it has finished, or another one has taken its place
      call(number, now, told);
    }
  }
  busy_ = !outermost;
  if (kept->number() == number) {
    note_due(*kept);
  }
  return true;
}

void operation_table::call_each(instant now, event_ref what) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(operations_.size());
  for (const operation& one : operations_) {
    numbers.push_back(one.number());
  }
  for (const std::uint64_t number : numbers) {
    call(number, now, what);
  }
}

void operation_table::begin_again(const std::function<std::optional<detail::failure>()>& refused, instant now) {
  while (!again_.empty()) {
    const std::vector<std::uint64_t> several = std::exchange(again_, {});
    for (const std::uint64_t number : several) {
      const std::optional<detail::failure> why = refused();
      call(number, now, [&why](operation& it, out& wants) { why ? it.stop(*why, wants) : it.begin(wants); });
    }
  }
}

void operation_table::fire_timers(instant now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const std::uint64_t number = timers_.begin()->second;
    timers_.erase(timers_.begin());
    operations_.find(number)->timer_at_ = instant::max();
    call(number, now, [](operation& it, out& wants) { it.timer(wants); });
  }
}

std::optional<instant> operation_table::due() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
}

operation_table::event operation_table::apply(std::uint64_t number, any_wish&& what, instant now) {
  if (auto* const begun = std::get_if<wish::begin>(&what)) {
    begin(std::move(begun->what), std::nullopt, now);
  } else if (auto* const called = std::get_if<wish::call>(&what)) {
    call(called->callee ? called->callee->number() : called->number, now, [called](operation&, out& wants) { called->what(wants); });
  } else if (std::holds_alternative<wish::begin_again>(what)) {
    again_.push_back(number);
  } else if (auto* const next = std::get_if<wish::replace_with>(&what)) {
    replace(number, std::move(next->what), now);
  } else if (std::holds_alternative<wish::finish>(what)) {
    end(number);
  } else {
    return host_.apply(number, std::move(what), now);
  }
  return {};
}

void operation_table::replace(std::uint64_t number, std::shared_ptr<operation> by, instant now) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  host_.forget(number);
  again_.erase(std::remove(again_.begin(), again_.end(), number), again_.end());
  operation& before = *found;
  operation& next = *by;
  next.timer_at_ = std::exchange(before.timer_at_, instant::max());
  next.kept_ = std::move(by);
  next.set_number(number);
  operations_.replace_node(found, next);
  before.set_number(0);
  before.kept_.reset();
  call(number, now, [](operation& it, out& wants) { it.begin(wants); });
}

void operation_table::note_due(operation& of) {
  const instant next = of.due().value_or(instant::max());
  if (next == of.timer_at_) {
    return;
  }
  timers_.erase({of.timer_at_, of.number()});
  if (next != instant::max()) {
    timers_.emplace(next, of.number());
  }
  of.timer_at_ = next;
}

void operation_table::end(std::uint64_t number) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  host_.forget(number);
  timers_.erase({found->timer_at_, number});
  const std::shared_ptr<operation> last = std::move(found->kept_);
  operations_.erase(found);
  last->timer_at_ = instant::max();
  last->set_number(0);
}

void operation_table::clear() noexcept {
  operations_.clear_and_dispose([](operation* one) {
    one->set_number(0);
    one->timer_at_ = instant::max();
    const std::shared_ptr<operation> last = std::move(one->kept_);
  });
  timers_.clear();
  again_.clear();
}

}  // namespace zklock::engine
