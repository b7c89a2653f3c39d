#include "src/api/lock_call.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "src/api/count_release.hpp"
#include "src/log/log.hpp"

namespace zklock::detail {
lock_call::lock_call(acquirable_state& of, const caller& by, lock_mode what, bool locks, std::stop_token stop)
    : of_(of), by_(by), side_(what.of), stop_(std::move(stop)), parts_(of.parts_of(what)) {
  calls_.reserve(parts_.size() + (is_of_parts() ? 1 : 0));
  for (const auto& [state, its] : parts_) {
    const asked wanted{by, its.of, its.permits, state->again(), is_of_parts(), locks};
    calls_.emplace_back(*state->owners(), wanted);
  }
  if (is_of_parts()) {
    calls_.emplace_back(*of.owners(), asked{.by = by, .locks = locks});
  }
}

acquired blocking_call::run(time_limit limit) {
  std::optional<acquired> told = begin(limit);
  while (!told && is_queued()) {
    told = turn_ended(told_of_turn_->wait());
  }
  return told ? std::move(*told) : end(wait());
}

/// What a thread that waits for its owner's earlier call is woken by.
struct lock_call::turn final : queued_call {
  turn(std::shared_ptr<session_impl> in, std::shared_ptr<operations::turn_wait> of)
      : session(std::move(in)), wait(std::move(of)) {}
  void wake() noexcept override { session->wake(wait); }
  const std::shared_ptr<session_impl> session;
  const std::shared_ptr<operations::turn_wait> wait;
};

std::optional<acquired> lock_call::begin(time_limit limit) {
  return of_.its_session()->forked() ? refused({errc::forked}) : go_on(limit);
}

std::optional<acquired> lock_call::go_on(time_limit limit) {
  while (true) {
    if (auto answer = answer_now()) {
      return answer;
    }
    if (!operation_) {
      make_operation(limit);
    }
    switch (admit()) {
      case lock_owners::admission::changed: continue;
      case lock_owners::admission::queued:
        if (wait_in_queue()) {
          return std::nullopt;
        }
        continue;
      case lock_owners::admission::abandoned: return refused({errc::abandoned});
      case lock_owners::admission::begins: break;
    }
    begin_stoppable(operation_, [this](const auto& next) { of_.its_session()->begin_acquire(next); });
    return std::nullopt;
  }
}

/// Nothing of the call is touched once it is begun: its answer may have come, and the call gone.
template <class Operation, class Begin>
void lock_call::begin_stoppable(const std::shared_ptr<Operation>& next, Begin&& begins) {
  const std::shared_ptr<session_impl> session = of_.its_session();
  const std::shared_ptr<Operation> kept = next;
  when_stopped_.emplace(stop_, abandon_operation{session, kept});
  begins(kept);
}

std::optional<acquired> lock_call::answer_now() {
  if (is_of_parts() && of_.owners()->abandoned()) {
    return refused({errc::abandoned});  // a view has outlived the multi-lock
  }
  const instant now = boot_now();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& [state, what] = parts_[i];
    lock_owners::reentry mine = state->owners()->reenter(calls_[i].what(), now);
    may_wait_for_itself_ = may_wait_for_itself_ || mine.of_thread;
    switch (mine.what) {
      case lock_owners::verdict::counted:
        return acquired{grant_access::make(of_.its_session(), of_.owners(), std::move(mine.held), side_), {}};
      case lock_owners::verdict::lost: return refused({errc::lost, {}, state->path()});
      case lock_owners::verdict::would_deadlock: return refused({errc::would_deadlock, {}, state->path()});
      case lock_owners::verdict::abandoned: return refused({errc::abandoned});
      case lock_owners::verdict::contends: break;
    }
    if (failure fault = state->fault(what); fault.ec) {
      return refused(std::move(fault));
    }
  }
  if (stop_.stop_requested()) {
    return refused({errc::abandoned});
  }
  if (blocks() && of_.its_session()->on_client_thread()) {
    return refused({errc::would_deadlock});  // an answer would come to this very thread
  }
  return std::nullopt;
}

void lock_call::make_operation(time_limit limit) {
  end_ = end_of(limit);
  began_at_ = boot_now();
  warns_at_ = began_at_ + of_.its_session()->status().timeout() / operations::waits_per_timeout;
  auto late = operations::late_line_of(may_wait_for_itself_ ? warning() : nullptr);
  const std::chrono::nanoseconds slow = of_.its_session()->options().slow_wait;
  if (slow.count() > 0 && !end_.once) {
    late = late ? std::move(late) : std::make_unique<operations::late_line>();
    late->slow = slow;
  }
  operations::acquire_request wanted{{}, is_of_parts(), {end_.once, end_.until, by_.owner, std::move(late)}};
  for (const auto& [state, what] : parts_) {
    wanted.parts.push_back(state->wanted(what));
  }
  operation_ = operations::acquire::make(std::move(wanted), told());
}

/// One try takes as long as the least patient part would.
call_end lock_call::end_of(time_limit limit) const {
  call_end first = parts_.front().state->end_of(limit);
  for (const lock_part& one : parts_) {
    const call_end end = one.state->end_of(limit);
    if (end.until && (!first.until || *end.until < *first.until)) {
      first.until = end.until;
    }
  }
  return first;
}

/// Of the first part that it is (still) due for.
std::function<log_line()> lock_call::warning() const {
  std::vector<std::function<log_line()>> of_parts;
  for (const lock_part& one : parts_) {
    if (auto line = one.state->warning_for(by_)) {
      of_parts.push_back(std::move(line));
    }
  }
  if (of_parts.empty()) {
    return {};
  }
  return [of_parts = std::move(of_parts)] {
    log_line line;
    for (auto one = of_parts.begin(); one != of_parts.end() && line.text.empty(); ++one) {
      line = (*one)();
    }
    return line;
  };
}

/// Its owner's one call on all of them, or on none: in one order, so that one of two calls gets on.
lock_owners::admission lock_call::admit() {
  boost::container::small_vector<lock_owners::call*, 4> in_one_order;
  for (lock_owners::call& one : calls_) {
    in_one_order.push_back(&one);
  }
  std::sort(in_one_order.begin(), in_one_order.end(),
            [](const auto* one, const auto* other) { return std::less<>()(&one->on(), &other->on()); });
  const instant now = boot_now();
  bool queued = false;
  for (lock_owners::call* const one : in_one_order) {
    const lock_owners::admission is = one->on().admit(*one, operation_, queued, now);
    if (is == lock_owners::admission::changed || is == lock_owners::admission::abandoned) {
      return is;
    }
    queued = queued || is == lock_owners::admission::queued;
  }
  for (std::size_t i = 0; queued && i < calls_.size(); ++i) {
    calls_[i].on().queue_elsewhere(calls_[i]);
  }
  return queued ? lock_owners::admission::queued : lock_owners::admission::begins;
}

bool lock_call::wait_in_queue() {
  auto late = operations::late_line_of(warns_at_ < instant::max() ? warning() : nullptr);
  if (late) {
    late->due_at = warns_at_;
  }
  const auto wait = std::make_shared<operations::turn_wait>(end_.until, std::move(late), told_of_turn());
  const auto woken = std::make_shared<turn>(of_.its_session(), wait);
  for (lock_owners::call& one : calls_) {
    if (!one.on().await_turn(one, woken)) {
      return false;
    }
  }
  queued_ = true;
  begin_stoppable(wait, [session = of_.its_session()](const auto& next) { session->begin(next); });
  return true;
}

std::optional<acquired> lock_call::turn_ended(operations::turn_wait_result&& result) {
  when_stopped_.reset();
  queued_ = false;
  turn_came_at_ = boot_now();
  if (*turn_came_at_ >= warns_at_) {
    warns_at_ = instant::max();
  }
  const bool in_time = !end_.until || *turn_came_at_ < *end_.until;
  if (result.came && in_time) {
    std::optional<acquired> answer = go_on({});
    if (answer && answer->why.ec) {
      count_refused(answer->why.ec);
    }
    return answer;
  }
  count_refused(result.why.ec);
  return refused(std::move(result.why));
}

acquired lock_call::end(operations::acquire_result&& result) {
  when_stopped_.reset();
  session_impl& session = *of_.its_session();
  if (!result.hold) {
    failure& why = result.why;
    // Not in time, if its turn came so late that an answer could hardly come.
    const bool was_late = turn_came_at_ && end_.until && *end_.until - *turn_came_at_ < session.status().timeout() / 12;
    if (why.ec == errc::not_connected && was_late && boot_now() >= *end_.until &&
        session.status().state() == session_state::connected) {
      why.ec.clear();
    }
    count_refused(why.ec);
    acquired none = refused(std::move(why));
    none.blocked_by = std::move(result.blocked_by);
    return none;
  }
  if (lock_meter::side_meter* const to = meter()) {
    to->granted.add(result.hold->since() - began_at_);
    to->turns.add(result.hold->token().turn > 0 ? 1 : 0);
  }
  bool kept = true;
  try {
    kept = enter(result.hold);
  } catch (...) {
    release_unentered(session, *of_.owners(), result.hold);
    throw;
  }
  acquired got{grant_access::make(of_.its_session(), of_.owners(), std::move(result.hold), side_), {}};
  return kept ? std::move(got) : refused({errc::abandoned});  // no thread could unlock it: it is given back here
}

bool lock_call::enter(const std::shared_ptr<hold>& granted) {
  bool kept = true;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const bool is_part = is_of_parts() && i < parts_.size();
    kept = calls_[i].on().granted(calls_[i], is_part ? granted->parts()[i] : granted);
  }
  return kept;
}

lock_meter::side_meter* lock_call::meter() const noexcept {
  const std::shared_ptr<lock_meter>& of = of_.owners()->meter();
  return of ? &of->side(side_ == side::read) : nullptr;
}

void lock_call::count_refused(const std::error_code& why) const noexcept {
  if (lock_meter::side_meter* const to = meter()) {
    duration_meter& of_its_kind = !why ? to->not_in_time : why == errc::abandoned ? to->stopped : to->failed;
    of_its_kind.add(boot_now() - began_at_);
  }
}

/// If nobody names a part for an abandoned call, the part to blame is one whose lock object has gone.
acquired lock_call::refused(failure why) const {
  if (is_of_parts() && why.path.empty() && why.ec == errc::abandoned) {
    const auto gone = std::find_if(parts_.begin(), parts_.end(),
                                   [](const lock_part& one) { return one.state->owners()->abandoned(); });
    why.path = gone != parts_.end() ? gone->state->path() : std::string();
  }
  return {{}, std::move(why)};
}

}  // namespace zklock::detail
