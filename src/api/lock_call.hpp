#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <boost/container/small_vector.hpp>

#include "src/api/blocking_receiver.hpp"
#include "src/api/lock_state.hpp"
#include "src/operations/acquire.hpp"

namespace zklock::detail {

/// What came of a call.
struct acquired {
  grant taken;
  failure why;
};

/// One call that acquires a lock, or all parts of a multi-lock: its owner's one call on each of them, before its operation is
/// begun. Nothing refers to it behind its answer, so it may live anywhere: a call that blocks keeps it in its frame.
class lock_call final {
 public:
  /// `of` outlives it. `locks`: its count is unlock()'s to give back, and the grant object is no more than a sign.
  lock_call(acquirable_state& of, const caller& by, lock_mode what, bool locks, std::stop_token stop);
  lock_call(const lock_call&) = delete;
  lock_call& operator=(const lock_call&) = delete;
  ~lock_call() = default;

  /// begin() to end(), on the calling thread, which waits.
  [[nodiscard]] acquired run(time_limit limit);

  /// Nothing: its operation is begun, and end() takes its answer. Or it is queued behind another call of its owner: then once
  /// more when it is woken.
  [[nodiscard]] std::optional<acquired> begin(time_limit limit);
  [[nodiscard]] operations::acquire_result wait() noexcept { return thread_.told.wait(); }
  [[nodiscard]] acquired end(operations::acquire_result&& result);

 private:
  /// What it is told without a request: it re-enters, or is refused. Nothing: it contends.
  [[nodiscard]] std::optional<acquired> answer_now();
  [[nodiscard]] lock_owners::admission admit();
  [[nodiscard]] bool enter(const std::shared_ptr<hold>& granted);
  void make_operation(time_limit limit);
  /// An answer: it does not ask again.
  [[nodiscard]] std::optional<acquired> wait_in_queue();

  [[nodiscard]] bool is_of_parts() const noexcept { return of_.owners()->has_parts(); }
  [[nodiscard]] call_end end_of(time_limit limit) const;
  [[nodiscard]] std::function<log_line()> warning() const;
  [[nodiscard]] acquired refused(failure why) const;

  struct waiting_thread final : queued_call {
    void wake() noexcept override { told.wake(); }
    blocking_receiver<operations::acquire_result> told;
  };
  struct abandon {
    void operator()() const { call->of_.its_session()->abandon(call->operation_); }
    lock_call* call;
  };

  acquirable_state& of_;
  const caller by_;
  const side side_;
  const std::stop_token stop_;
  const lock_parts parts_;
  bool may_wait_for_itself_ = false;  ///< its thread has some of it
  call_end end_{};
  instant warns_at_{};                   ///< while it is queued
  std::optional<instant> turn_came_at_;  ///< nothing: it was not queued
  std::shared_ptr<operations::acquire> operation_;
  waiting_thread thread_;
  /// On each part; of a multi-lock the last is on itself. Left before what they refer to goes.
  boost::container::small_vector<lock_owners::call, 1> calls_;
  std::optional<std::stop_callback<abandon>> when_stopped_;  ///< while its operation is under way
};

}  // namespace zklock::detail
