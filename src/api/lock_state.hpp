#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/options.hpp>
#include <zklock/queue.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/lock_terms.hpp"
#include "src/operations/acquire_request.hpp"
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

  /// Without local hand-over.
  lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms,
             std::shared_ptr<const lock_target> target);

  [[nodiscard]] const std::string& path() const noexcept override { return target_->path; }
  [[nodiscard]] lock_parts parts_of(lock_mode what) override { return {{this, what}}; }
  [[nodiscard]] const std::shared_ptr<const lock_target>& target() const noexcept { return target_; }

  [[nodiscard]] operations::participants_result query_participants(const recipes::sought_contenders& of, instant until);

  [[nodiscard]] bool keeps() const noexcept { return keeps_; }

  // ---- for a call
  [[nodiscard]] wanted_part wanted(lock_mode what) const;
  [[nodiscard]] owner_again again() const noexcept { return terms_->again(); }
  /// Why no contender can get that part of it; no error: one can.
  [[nodiscard]] failure fault(lock_mode what) const { return terms_->fault(what, *target_); }
  /// What to say of such a wait when it lasts, asked then: the thread may wait for itself. Null: nothing is to be asked.
  [[nodiscard]] std::function<log_line()> warning_for(const caller& by) const;
  [[nodiscard]] instant end_of_one_try(instant now) const;
  /// When a call that begins now has to end.
  [[nodiscard]] call_end end_of(time_limit limit) const;

 private:
  void let_kept_go() noexcept override;
  [[nodiscard]] bool counts_again() const noexcept override { return again() == owner_again::counts; }

  const std::shared_ptr<const lock_terms> terms_;
  const std::shared_ptr<const lock_target> target_;
  const std::chrono::milliseconds try_time_limit_;
  const std::shared_ptr<operations::hand_over> turns_;  ///< null: each call has a contender of its own
  const bool keeps_;                                    ///< one of them between two holds
};

/// The holders and the waiters. Throws when `ec` is null.
[[nodiscard]] std::vector<participant> queue_of(lock_state& lock, std::error_code* ec);

}  // namespace zklock::detail
