#include "src/engine/operation_table.hpp"

#include <vector>

#include <zklock/error.hpp>

namespace zklock::engine {

void operation_table::begin(std::shared_ptr<operation> wanted, std::uint64_t number,
                            const std::optional<detail::failure>& refused, instant now) {
  operation& one = *wanted;
  one.number_ = number;
  operations_.emplace(number, entry{std::move(wanted), std::nullopt});
  const std::optional<detail::failure> why =
      one.stopped_ ? std::optional(detail::failure{make_error_code(errc::abandoned)}) : refused;
  call(number, now, [&why](operation& it, out& wants) { why ? it.stop(*why, wants) : it.begin(wants); });
}

void operation_table::stop(const std::shared_ptr<operation>& unwanted, const detail::failure& why, instant now) {
  unwanted->stopped_ = true;
  call(unwanted->number_, now, [&why](operation& it, out& wants) { it.stop(why, wants); });
}

void operation_table::stop_all(const detail::failure& why, instant now) {
  call_each(now, [&why](operation& it, out& wants) { it.stop(why, wants); });
}

void operation_table::connected(instant now) {
  call_each(now, [](operation& it, out& wants) { it.connected(wants); });
}

void operation_table::disconnected(instant now) {
  call_each(now, [](operation& it, out& wants) { it.disconnected(wants); });
}

void operation_table::connection_closed(instant now) {
  call_each(now, [](operation& it, out& wants) { it.connection_closed(wants); });
}

void operation_table::session_over(instant now) {
  call_each(now, [](operation& it, out& wants) { it.session_over(wants); });
}

bool operation_table::reply(const ledger::entry& asked, client::reply&& answer, instant now) {
  if (!operations_.contains(asked.owner)) {
    return false;
  }
  call(asked.owner, now, [&](operation& it, out& wants) { it.reply(asked.as, std::move(answer), wants); });
  return true;
}

void operation_table::fire_timers(instant now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const std::uint64_t number = timers_.begin()->second;
    timers_.erase(timers_.begin());
    operations_.at(number).due.reset();
    call(number, now, [](operation& it, out& wants) { it.timer(wants); });
  }
}

std::optional<instant> operation_table::due() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
}

template <class Call>
void operation_table::call(std::uint64_t number, instant now, const Call& make) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  const std::shared_ptr<operation> kept = found->second.what;
  const session_facts facts = host_.facts(now);
  out wants(facts);
  const bool outermost = !std::exchange(busy_, true);
  make(*kept, wants);
  for (out::wish& one : wants.take()) {
    apply(number, std::move(one), now);
  }
  busy_ = !outermost;
  note_due(number);
}

/// In the order of their numbers: those that are there now, and still are when their turn comes.
template <class Call>
void operation_table::call_each(instant now, const Call& make) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, one] : operations_) {
    numbers.push_back(number);
  }
  for (const std::uint64_t number : numbers) {
    call(number, now, make);
  }
}

void operation_table::apply(std::uint64_t number, out::wish&& what, instant now) {
  if (auto* const asked = std::get_if<out::request_wanted>(&what)) {
    host_.send(number, asked->as, std::move(asked->what), asked->first, now);
  } else if (auto* const said = std::get_if<out::line>(&what)) {
    host_.log(said->level, said->text);
  } else if (std::holds_alternative<out::requests_forgotten>(what)) {
    host_.forget_requests(number);
  } else if (std::holds_alternative<out::containers_refused>(what)) {
    host_.note_containers_refused();
  } else {
    end(number);
  }
}

void operation_table::note_due(std::uint64_t number) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  const std::optional<instant> next = found->second.what->due();
  if (next == found->second.due) {
    return;
  }
  if (found->second.due) {
    timers_.erase({*found->second.due, number});
  }
  if (next) {
    timers_.emplace(*next, number);
  }
  found->second.due = next;
}

void operation_table::end(std::uint64_t number) {
  const auto found = operations_.find(number);
  if (found == operations_.end()) {
    return;
  }
  host_.forget_requests(number);
  if (found->second.due) {
    timers_.erase({*found->second.due, number});
  }
  found->second.what->number_ = 0;
  operations_.erase(found);
}

}  // namespace zklock::engine
