#include "src/api/lock_state.hpp"

#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/blocking_receiver.hpp"
#include "src/api/count_release.hpp"
#include "src/api/option_check.hpp"
#include "src/api/target_of.hpp"
#include "src/operations/hand_over.hpp"

namespace zklock::detail {
namespace {

std::shared_ptr<operations::hand_over> turns_of(const std::optional<local_handover>& options) {
  if (!options) {
    return nullptr;
  }
  require_valid(*options);
  return std::make_shared<operations::hand_over>(recipes::turn_bounds{options->max_turns, options->max_time});
}

}  // namespace

lock_state::lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms,
                       std::string_view path, const lock_options& options)
    : acquirable_state(std::move(session), std::make_shared<ownership_table>()),
      terms_(std::move(terms)),
      target_(target_of(path, options, its_session()->options(), !its_session()->adopted())),
      try_time_limit_(options.try_time_limit),
      turns_(turns_of(options.hand_over)) {
  require_valid_duration(try_time_limit_, "try_time_limit");
}

wanted_part lock_state::wanted(lock_mode what) const {
  recipes::acquire_spec in;
  in.as = target_->layout;
  return {target_, terms_->spec_of(what, in), turns_};
}

acquired lock_state::acquire_for(const caller& by, lock_mode what, time_limit limit, std::stop_token stop) {
  if (its_session()->forked()) {
    return {{}, {errc::forked}};
  }
  if (calls().abandoned()) {
    return {{}, {errc::abandoned}};  // a view has outlived its lock object: nor does it re-enter
  }
  if (table()->would_wait_for_its_thread(by, what.of, terms_->again(), boot_now())) {
    return {{}, {errc::would_deadlock}};  // also if it is not its owner's turn
  }
  const call_end end = end_of(limit);
  owner_turn turn(its_owner_calls() != nullptr ? by.owner : no_owner);
  owner_calls* const here = &owner_calls_;
  const std::array stops{stop, going()};
  const bool may_wait = !its_session()->on_client_thread();  // an answer would come to this very thread
  const late_warning warning{warns_in_turn_at(), [this, &by] { return warning_for(by); }};
  if (auto refused = turn.take({&here, 1}, end.until, stops, may_wait, warning)) {
    return {{}, without_turn(std::move(*refused))};
  }
  const auto mine = table()->reenter(by, what.of, terms_->again(), boot_now());
  switch (mine.what) {
    case ownership_table::verdict::counted: return {grant_access::make(its_session(), table(), mine.held, what.of), {}};
    case ownership_table::verdict::lost: return {{}, {errc::lost}};
    case ownership_table::verdict::would_deadlock: return {{}, {errc::would_deadlock}};
    case ownership_table::verdict::contends: break;
  }
  if (failure fault = this->fault(what); fault.ec) {
    return {{}, std::move(fault)};
  }
  if (stop.stop_requested()) {
    return {{}, {errc::abandoned}};
  }
  if (!may_wait) {
    return {{}, {errc::would_deadlock}};
  }
  return behind_turn(contend(by, what, end, std::move(stop)), turn, end.until);
}

acquired lock_state::contend(const caller& by, lock_mode what, const call_end& end, std::stop_token stop) {
  blocking_receiver<operations::acquire_result> told;
  operations::acquire_request request{
      {}, false, {end.once, end.until, by.owner, operations::late_line_of(warning_for(by))}};
  request.parts.push_back(wanted(what));
  const auto mine = operations::acquire::make(std::move(request), told.shared());
  const waiting_calls::entry waits(calls(), mine);
  if (!waits) {
    return {{}, {errc::abandoned}};
  }
  its_session()->begin_acquire(mine);
  operations::acquire_result result;
  {
    const std::stop_callback when_stopped(stop, [this, &mine] { its_session()->abandon(mine); });
    result = told.wait();
  }
  std::shared_ptr<hold> granted = std::move(result.hold);
  if (!granted) {
    return {{}, std::move(result.why)};
  }
  try {
    table()->enter(by, what.of, granted, what.permits);
  } catch (...) {
    release_unentered(*its_session(), *table(), granted);
    throw;
  }
  return {grant_access::make(its_session(), table(), std::move(granted), what.of), {}};
}

call_end lock_state::end_of(time_limit limit) const {
  const instant now = boot_now();
  switch (limit.is) {
    case time_limit::kind::one_try: return {true, end_of_one_try(now)};
    case time_limit::kind::time: return {false, now + limit.time};
    case time_limit::kind::none: break;
  }
  return {};
}

instant lock_state::end_of_one_try(instant now) const {
  return now + (try_time_limit_.count() > 0 ? try_time_limit_ : its_session()->status().timeout() / 3);
}

std::function<log_line()> lock_state::warning_for(const caller& by) const {
  if (terms_->again() == owner_again::contends || !table()->has_of_thread(by.thread, boot_now())) {
    return {};
  }
  return
      [table = table(), servers = its_session()->servers(), target = target_, thread = by.thread, number = gettid()] {
        log_line line{log_level::warning, {}, target->path, {}, servers};
        if (table->has_of_thread(thread, boot_now())) {
          line.text = "thread " + std::to_string(number) + " waits for " + target->path +
                      ", of which it has itself taken what stands before it";
        }
        return line;
      };
}

owner_calls* lock_state::its_owner_calls() noexcept {
  return terms_->again() == owner_again::contends ? nullptr : &owner_calls_;
}

std::error_code lock_state::obstacle(const caller& by, lock_mode what) const {
  switch (table()->contend_as_part(by, what.of, terms_->again(), boot_now())) {
    case ownership_table::verdict::contends:
    case ownership_table::verdict::counted: break;
    case ownership_table::verdict::lost: return errc::lost;
    case ownership_table::verdict::would_deadlock: return errc::would_deadlock;
  }
  return {};
}

}  // namespace zklock::detail
