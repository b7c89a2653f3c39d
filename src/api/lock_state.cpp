#include "src/api/lock_state.hpp"

#include <unistd.h>

#include <optional>
#include <utility>

#include "src/api/option_check.hpp"
#include "src/api/target_of.hpp"
#include "src/operations/hand_over.hpp"

namespace zklock::detail {
namespace {

std::shared_ptr<operations::hand_over> turns_of(const lock_options& options) {
  if (!options.hand_over && !options.keep) {
    return nullptr;
  }
  const local_handover within = options.hand_over.value_or(local_handover());
  require_valid(within);
  return std::make_shared<operations::hand_over>(recipes::turn_bounds{
      within.max_turns, within.max_time, options.keep.value_or(kept_lock{std::chrono::milliseconds(0)}).idle_limit});
}

const std::string& valid_name(const lock_options& options) {
  require_valid_name(options.name);
  return options.name;
}

std::shared_ptr<lock_owners> owners_with(std::shared_ptr<lock_meter> meter) {
  return std::make_shared<lock_owners>(std::vector<lock_owners::part>(), std::move(meter));
}

}  // namespace

lock_state::lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms,
                       std::string_view path, const lock_options& options)
    : acquirable_state(session, owners_with(session->meter_of(valid_name(options), terms->measured_as()))),
      terms_(std::move(terms)),
      target_(target_of(path, options, its_session()->options(), !its_session()->adopted(), owners()->meter())),
      try_time_limit_(options.try_time_limit),
      turns_(turns_of(options)),
      keeps_(options.keep.has_value()) {
  require_valid_duration(try_time_limit_, "try_time_limit");
  if (keeps_) {
    require_valid(*options.keep, its_session()->status().timeout(), wanted(lock_mode()).spec.kind);
  }
}

lock_state::lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms,
                       std::shared_ptr<const lock_target> target)
    : acquirable_state(std::move(session), owners_with(target->meter)),
      terms_(std::move(terms)),
      target_(std::move(target)),
      try_time_limit_(0),
      keeps_(false) {}

void lock_state::let_kept_go() noexcept {
  if (keeps_) {
    its_session()->give_way(turns_);
  }
}

wanted_part lock_state::wanted(lock_mode what) const {
  recipes::acquire_spec in;
  in.as = target_->layout;
  return {target_, terms_->spec_of(what, in), turns_};
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
  if (again() == owner_again::contends || !owners()->has_of_thread(by.thread, boot_now())) {
    return {};
  }
  return
      [owners = owners(), servers = its_session()->servers(), target = target_, thread = by.thread, number = gettid()] {
        log_line line{log_level::warning, {}, target->path, {}, servers};
        if (owners->has_of_thread(thread, boot_now())) {
          line.text = "thread " + std::to_string(number) + " waits for " + target->path +
                      ", of which it has itself taken what stands before it";
        }
        return line;
      };
}

}  // namespace zklock::detail
