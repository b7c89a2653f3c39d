#include "src/operations/acquire.hpp"

#include <array>
#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/operations/acquire_one.hpp"
#include "src/operations/acquire_several.hpp"

namespace zklock::operations {
namespace {

template <class Call>
std::shared_ptr<acquire> made(acquire_request&& wanted, std::shared_ptr<receiver<acquire_result>>&& told) {
  return std::make_shared<Call>(std::move(wanted), std::move(told));
}

/// The calls: for one contender, for several.
constexpr std::array makers{
    made<acquire_one>,      // of acquire_one
    made<acquire_several>,  // of acquire_several
};

}  // namespace

acquire::acquire(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told)
    : wanted_(std::move(wanted)), told_(std::move(told)), agreed_(wanted_.parts.size(), false) {}

std::shared_ptr<acquire> acquire::make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told) {
  recipes::place_plan first;
  first.add(wanted.parts.front().claim);
  const bool several = wanted.of_multi_lock || first.places.size() > 1;
  return makers.at(several ? 1 : 0)(std::move(wanted), std::move(told));
}

void acquire::use(nodes& registry, holder_watch& watch) noexcept {
  registry_ = &registry;
  watch_ = &watch;
}

void acquire::begin(engine::out& wants) {
  if (wants.session().suspended && wanted_.once) {
    answer({nullptr, {errc::not_connected}});
    wants.finish();
    return;
  }
  contend(wants);
}

recipes::place_plan acquire::plan() const {
  recipes::place_plan all;
  for (std::size_t part = 0; part < agreed_.size(); ++part) {
    recipes::claim claim = wanted_.parts[part].claim;
    claim.agreed = agreed_[part];
    all.add(claim);
  }
  return all;
}

std::shared_ptr<contender> acquire::make_contender(std::size_t place, const recipes::place& as,
                                                   bool created_by_transaction, engine::out& wants) {
  const contender::settings how{this, place, wanted_.once, created_by_transaction, registry_, watch_};
  return std::make_shared<contender>(how, wants.session().world->next_id(), as, wanted_.parts[as.part].target, pace_);
}

void acquire::answer(acquire_result result) {
  if (const auto told = std::exchange(told_, nullptr)) {
    told->complete(std::move(result));
  }
}

void acquire::note_progress(const contender& of, std::size_t part) {
  queue_seen_ = queue_seen_ || of.machine().queue_seen();
  agreed_[part] = agreed_[part] || of.machine().limit_agreed();
  pace_ = of.pace();
}

bool acquire::is_late(const engine::out& wants) const {
  const auto limit = time_limit();
  return limit && *limit <= wants.session().now;
}

std::optional<engine::instant> acquire::time_limit() const {
  return is_answered() ? std::nullopt : wanted_.until;
}

detail::failure acquire::failure_of(const contender& one, recipes::refusal why, recipes::code with) {
  detail::failure told{detail::error_of(why, with), with, one.target().path, {}};
  const recipes::claim& claim = one.machine().wanted();
  const auto& limit = one.machine().limit();
  if (why == recipes::refusal::limit_mismatch && limit) {
    told.detail = std::to_string(claim.limit) + " here, " + std::to_string(limit->limit) + " on the server";
  } else if (why == recipes::refusal::limit_exceeded && limit) {
    told.detail = std::to_string(claim.permits) + " of " + std::to_string(limit->limit);
  }
  return told;
}

}  // namespace zklock::operations
