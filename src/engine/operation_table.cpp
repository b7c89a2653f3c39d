#include "src/engine/operation_table.hpp"

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include <zklock/error.hpp>

#include "recipes/effort.hpp"

namespace zklock::engine {

void operation_table::begin(std::shared_ptr<operation> wanted, const std::optional<detail::failure>& refused,
                            instant now) {
  table_entry& one = wanted->entry();
  const bool stopped = one.number == operation::stopped_early;
  const std::uint64_t number = ++last_;
  one.number = number;
  one.what = std::move(wanted);
  operations_.insert(operations_.end(), one);
  const std::optional<detail::failure> why =
      stopped ? std::optional(detail::failure{make_error_code(errc::abandoned)}) : refused;
  call(number, now, [&why](operation& it, out& wants) { why ? it.stop(*why, wants) : it.begin(wants); });
}

void operation_table::stop(const std::shared_ptr<operation>& unwanted, const detail::failure& why, instant now) {
  if (unwanted->number() == 0) {
    unwanted->entry().number = operation::stopped_early;
    return;
  }
  call(unwanted->number(), now, [&why](operation& it, out& wants) { it.stop(why, wants); });
}

bool operation_table::call(std::uint64_t number, instant now, event_ref what) {
  catch_up(number, now);
  return call_now(number, now, what);
}

bool operation_table::call_now(std::uint64_t number, instant now, event_ref what) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return false;
  }
  ++recipes::effort_of_thread.calls;
  const std::shared_ptr<operation> kept = found->what;
  session_facts facts = services_.facts(now);
  facts.telling_many = telling_many_;
  out wants(services_, facts, number);
  const bool outermost = !std::exchange(busy_, true);
  what(*kept, wants);
  for (out::step::any& one : wants.behind()) {
    take(number, std::move(one), now);
  }
  for (const event& told : wants.told()) {
    if (kept->number() == number) {  // else it has finished, or another one has taken its place
      call(number, now, told);
    }
  }
  busy_ = !outermost;
  if (kept->number() == number) {
    note_due(kept->entry());
  }
  return true;
}

void operation_table::call_each(instant now, event_ref what) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(operations_.size());
  for (const table_entry& one : operations_) {
    numbers.push_back(one.number);
  }
  for (const std::uint64_t number : numbers) {
    call(number, now, what);
  }
}

void operation_table::broadcast(instant now, event what) {
  telling one{std::move(what), 0, last_, {}, now};
  telling_many_ = telling_many_ || operations_.size() > slice_;
  if (!broadcasts_.empty() || !tell_slice(one, now)) {
    broadcasts_.push_back(std::move(one));
  }
  telling_many_ = !broadcasts_.empty();
}

/// Whether all have been told.
bool operation_table::tell_slice(telling& one, instant now) {
  for (std::size_t told = 0; told < slice_;) {
    const auto found = operations_.lower_bound(one.next);
    if (found == operations_.end() || found->number > one.last) {
      return true;
    }
    const std::uint64_t number = found->number;
    one.next = number + 1;
    if (one.early.erase(number) == 0) {
      ++told;
      call_now(number, now, one.what);
    }
  }
  const auto next = operations_.lower_bound(one.next);
  return next == operations_.end() || next->number > one.last;
}

void operation_table::go_on(instant now) {
  if (!broadcasts_.empty() && tell_slice(broadcasts_.front(), now)) {
    broadcasts_.pop_front();
    telling_many_ = !broadcasts_.empty();
  }
}

/// What comes to one operation comes in the order of its happening, whatever its turn.
void operation_table::catch_up(std::uint64_t number, instant now) {
  for (telling& one : broadcasts_) {
    if (number >= one.next && number <= one.last && one.early.insert(number).second) {
      call_now(number, now, one.what);
    }
  }
}

void operation_table::begin_again(const std::function<std::optional<detail::failure>()>& refused, instant now) {
  again_since_.reset();
  for (std::size_t told = 0; !again_.empty(); ++told) {
    if (told == slice_) {
      again_since_ = now;
      return;
    }
    const std::uint64_t number = again_.front();
    again_.pop_front();
    const std::optional<detail::failure> why = refused();
    call(number, now, [&why](operation& it, out& wants) { why ? it.stop(*why, wants) : it.begin(wants); });
  }
}

void operation_table::fire_timers(instant now) {
  boost::container::small_vector<std::uint64_t, 8> fired;
  for (auto at = timers_.begin(); at != timers_.end() && at->first <= now && fired.size() < slice_;) {
    const std::uint64_t number = at->second;
    if (std::find(fired.begin(), fired.end(), number) != fired.end()) {
      ++at;  // what it wants by now, a later task does
      continue;
    }
    if (!broadcasts_.empty()) {
      const auto asked = *at;
      catch_up(number, now);
      at = timers_.find(asked);
    }
    fired.push_back(number);
    if (at == timers_.end()) {
      at = timers_.begin();  // it wants none any more, or a later one
      continue;
    }
    timers_.erase(at);
    if (const auto found = operations_.find(number); found != operations_.end()) {
      found->timer_at = instant::max();
      call(number, now, [](operation& it, out& wants) { it.timer(wants); });
    }
    at = timers_.begin();
  }
}

std::optional<instant> operation_table::due() const {
  std::optional<instant> first = again_since_;
  const auto consider = [&first](instant when) { first = first ? std::min(*first, when) : when; };
  if (!broadcasts_.empty()) {
    consider(broadcasts_.front().since);
  }
  if (!timers_.empty()) {
    consider(timers_.begin()->first);
  }
  return first;
}

void operation_table::take(std::uint64_t number, out::step::any&& next, instant now) {
  using step = out::step;
  if (auto* const begun = std::get_if<step::begin>(&next)) {
    begin(std::move(begun->what), std::nullopt, now);
  } else if (auto* const called = std::get_if<step::call>(&next)) {
    call(called->callee ? called->callee->number() : called->number, now,
         [called](operation&, out& wants) { called->what(wants); });
  } else if (std::holds_alternative<step::begin_again>(next)) {
    again_.push_back(number);
  } else if (auto* const other = std::get_if<step::replace_with>(&next)) {
    replace(number, std::move(other->what), now);
  } else {
    end(number);
  }
}

void operation_table::replace(std::uint64_t number, std::shared_ptr<operation> by, instant now) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  services_.forget(number);
  services_.servers().forget_requests(number);
  again_.erase(std::remove(again_.begin(), again_.end(), number), again_.end());
  table_entry& before = *found;
  table_entry& next = by->entry();
  next.number = number;
  next.timer_at = std::exchange(before.timer_at, instant::max());
  next.what = std::move(by);
  operations_.replace_node(found, next);
  before.number = 0;
  before.what.reset();
  call(number, now, [](operation& it, out& wants) { it.begin(wants); });
}

void operation_table::note_due(table_entry& of) {
  const instant next = of.what->due().value_or(instant::max());
  if (next == of.timer_at) {
    return;
  }
  timers_.erase({of.timer_at, of.number});
  if (next != instant::max()) {
    timers_.emplace(next, of.number);
  }
  of.timer_at = next;
}

void operation_table::end(std::uint64_t number) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  services_.forget(number);
  table_entry& gone = *found;
  const std::shared_ptr<operation> last = std::move(gone.what);
  timers_.erase({gone.timer_at, number});
  operations_.erase(found);
  gone.timer_at = instant::max();
  gone.number = 0;
}

void operation_table::clear() noexcept {
  operations_.clear_and_dispose([](table_entry* one) {
    const std::shared_ptr<operation> last = std::move(one->what);
    one->timer_at = instant::max();
    one->number = 0;
  });
  timers_.clear();
  again_.clear();
  again_since_.reset();
  drop_broadcasts();
}

}  // namespace zklock::engine
