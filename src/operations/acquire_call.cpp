#include "src/operations/acquire_call.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "src/errors/error_of.hpp"

namespace zklock::operations {

acquire_call::acquire_call(acquire_terms&& terms, std::shared_ptr<receiver<acquire_result>> told) noexcept
    : told_(std::move(told)),
      until_(terms.until.value_or(never)),
      owner_(terms.owner),
      when_late_(std::move(terms.when_late)),
      once_(terms.once) {}

recipes::place_plan plan_of(const acquire_request& wanted) {
  recipes::place_plan plan;
  for (const detail::wanted_part& part : wanted.parts) {
    plan.add(part.spec);
  }
  return plan;
}

std::shared_ptr<contender_operation> acquire_call::make_contender(const std::shared_ptr<const detail::lock_target>& of,
                                                                  const recipes::place& as, bool created_in_transaction,
                                                                  session_nodes& among, engine::out& wants) const {
  const detail::seen_limit& seen = of->limit;
  return std::make_shared<contender_operation>(
      recipes::contender(wants.session().world->next_id(), as.spec, goes_at_once(), created_in_transaction,
                         seen.session == wants.session().id ? seen.node : recipes::limit_node()),
      contender_requests(of, as.below, owner_), retry_, among);
}

void acquire_call::note_progress(const contender_operation& of, recipes::acquire_spec& of_next) {
  queue_seen_ = queue_seen_ || of.machine().queue_seen();
  of_next.agreed = of_next.agreed || of.machine().limit_agreed();
  retry_ = of.retry();
}

void acquire_call::answer(acquire_result result) {
  if (const auto told = std::exchange(told_, nullptr)) {
    told->complete(std::move(result));  // in the library: wakes blocking_receiver::wait()
  }
}

bool acquire_call::is_late(engine::instant now) const { return !is_answered() && until_ <= now; }

void acquire_call::begin(const engine::out& wants) {
  if (!when_late_ && wants.session().world->observes_locks()) {
    when_late_ = std::make_unique<late_line>();
  }
  if (!when_late_ || when_late_->begun_at.count() != 0) {
    return;
  }
  when_late_->begun_at = wants.session().now;
  if (when_late_->ask && when_late_->due_at == never) {
    when_late_->due_at = wants.session().now + wants.session().timeout / waits_per_timeout;
  }
}

namespace {

engine::instant slow_at(const late_line& of) {
  return of.slow.count() > 0 && of.begun_at.count() != 0 ? of.begun_at + of.slow : engine::instant::max();
}

}  // namespace

std::optional<engine::instant> acquire_call::due() const {
  const engine::instant first = when_late_ ? std::min({when_late_->due_at, slow_at(*when_late_), until_}) : until_;
  return is_answered() || first == never ? std::nullopt : std::optional(first);
}

std::optional<std::chrono::nanoseconds> acquire_call::slow_by(engine::instant now) {
  if (!when_late_ || slow_at(*when_late_) > now || is_answered()) {
    return std::nullopt;
  }
  when_late_->slow = {};
  return now - when_late_->begun_at;
}

void acquire_call::timer(engine::out& wants) {
  if (when_late_ && when_late_->due_at <= wants.session().now && !is_answered()) {
    when_late_->due_at = never;
    if (log_line line = std::exchange(when_late_->ask, nullptr)(); !line.text.empty()) {
      wants.log(std::move(line));
    }
  }
}

detail::failure failure_of(contender_operation& one, recipes::refusal why, recipes::code with) {
  detail::failure told{detail::error_of(why, with), with, one.requests().target().path, {}};
  const recipes::acquire_spec& spec = one.machine().wanted();
  const auto& limit = one.machine().limit().limit;
  if (why == recipes::refusal::permit_limit_mismatch && limit) {
    told.detail = std::to_string(spec.limit) + " here, " + std::to_string(limit->limit) + " on the server";
  } else if (why == recipes::refusal::permit_limit_exceeded && limit) {
    told.detail = std::to_string(spec.permits) + " of " + std::to_string(limit->limit);
  } else if (why == recipes::refusal::not_a_permit_limit) {
    told.detail = detail::text_of_other_data(one.requests().target().limit.other_data);
  }
  return told;
}

}  // namespace zklock::operations
