#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/queue.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/lock_terms.hpp"
#include "src/api/owner_calls.hpp"
#include "src/operations/acquire.hpp"
#include "src/operations/participants_query.hpp"

namespace zklock::detail {

/// When a call ends that is not granted before.
struct call_end {
  bool once = false;  ///< it does not wait behind another contender
  std::optional<instant> until{};
};

/// What stands behind a lock object.
class lock_state final : public acquirable_state {
 public:
  lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms, std::string_view path,
             const lock_options& options);

  [[nodiscard]] const std::string& path() const noexcept override { return target_->path; }
  [[nodiscard]] const std::shared_ptr<const lock_target>& target() const noexcept { return target_; }

  [[nodiscard]] operations::participants_result query_participants(const recipes::sought_contenders& of, instant until);

  // ---- as a part of a multi-lock
  [[nodiscard]] wanted_part wanted(lock_mode what) const;
  /// Of the owners that may not have two contenders here; null: each may.
  [[nodiscard]] owner_calls* its_owner_calls() noexcept;
  /// Why the caller cannot wait for it now; no error: it can.
  [[nodiscard]] std::error_code obstacle(const caller& by, lock_mode what) const;
  /// Why no contender can get that part of it; no error: one can.
  [[nodiscard]] failure fault(lock_mode what) const { return terms_->fault(what, *target_); }
  /// What to say of such a wait when it lasts, asked then: the thread may wait for itself. Null: nothing is to be asked.
  [[nodiscard]] std::function<log_line()> warning_for(const caller& by) const;
  [[nodiscard]] instant end_of_one_try(instant now) const;
  /// When a call that begins now has to end.
  [[nodiscard]] call_end end_of(time_limit limit) const;

 private:
  acquired acquire_for(const caller& by, lock_mode what, time_limit limit, std::stop_token stop) override;
  [[nodiscard]] bool thread_owns() const noexcept override { return terms_->again() == owner_again::counts; }
  acquired contend(const caller& by, lock_mode what, const call_end& end, std::stop_token stop);

  const std::shared_ptr<const lock_terms> terms_;
  const std::shared_ptr<const lock_target> target_;
  const std::chrono::milliseconds try_time_limit_;
  const std::shared_ptr<operations::hand_over> turns_;  ///< null: each call has a contender of its own
  owner_calls owner_calls_;
};

/// The holders and the waiters. Throws when `ec` is null.
[[nodiscard]] std::vector<participant> queue_of(lock_state& lock, std::error_code* ec);

}  // namespace zklock::detail
