#include "recipes/candidacy.hpp"

#include <algorithm>

namespace zklock::recipes {
namespace {

/// The least rest behind an attempt to stand that has failed, whatever the interval.
constexpr std::chrono::milliseconds rest_behind_a_failure{100};

}  // namespace

instant candidacy::due() const noexcept {
  return stood_at_ + (failed_ ? std::max<instant>(interval_, rest_behind_a_failure) : interval_);
}

candidacy::command candidacy::begin(instant now) noexcept {
  return why_ == end::none ? stand(now) : finish(why_);  // a stop may have come before
}

candidacy::command candidacy::stand(instant now) noexcept {
  state_ = state::standing;
  lost_ = failed_ = false;
  stood_at_ = now;
  return command::stand;
}

candidacy::command candidacy::answered(answer what, instant now) noexcept {
  if (what == answer::granted) {
    state_ = why_ == end::none ? state::leading : state::releasing;
    return why_ == end::none ? command::work : command::release;
  }
  if (why_ != end::none || what == answer::refused) {
    return finish(why_ != end::none ? why_ : end::refused);
  }
  failed_ = true;
  return stand_in_time(now);
}

void candidacy::lost() noexcept {
  lost_ = true;
  if (state_ == state::leading) {
    state_ = state::ending;
  }
}

candidacy::command candidacy::stop() noexcept {
  if (why_ == end::none) {
    why_ = end::stopped;
  }
  switch (state_) {
    case state::leading: state_ = state::ending; return command::none;
    case state::idle:
    case state::pausing: return finish(why_);
    default: return command::none;  // what is under way comes to its end first
  }
}

candidacy::command candidacy::returned(bool threw) noexcept {
  if (threw) {
    why_ = end::failed;
  }
  state_ = state::releasing;
  return command::release;
}

candidacy::command candidacy::released(instant now, bool refused) noexcept {
  if (refused && why_ == end::none) {
    why_ = end::refused;
  }
  return why_ != end::none ? finish(why_) : stand_in_time(now);
}

candidacy::command candidacy::timer(instant now) noexcept {
  return state_ == state::pausing ? stand_in_time(now) : command::none;
}

candidacy::command candidacy::stand_in_time(instant now) noexcept {
  if (lost_ || due() <= now) {
    return stand(now);
  }
  state_ = state::pausing;
  return command::pause;
}

candidacy::command candidacy::finish(end why) noexcept {
  why_ = why;
  state_ = state::over;
  return command::end;
}

}  // namespace zklock::recipes
