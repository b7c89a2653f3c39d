#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <boost/container/small_vector.hpp>

#include "src/api/abandon_operation.hpp"
#include "src/api/blocking_receiver.hpp"
#include "src/api/lock_state.hpp"
#include "src/operations/acquire.hpp"
#include "src/operations/turn_wait.hpp"

namespace zklock::detail {

/// What came of a call.
struct acquired {
  grant taken;
  failure why;
  std::unique_ptr<operations::blocking_node> blocked_by{};  ///< of one try; null: it is not known
};

/// One call that acquires a lock, or all parts of a multi-lock: its owner's one call on each of them, before its operation is
/// begun. One operation after the other is under way for it: waits for its owner's earlier call, then the acquisition.
/// Nothing refers to it behind its answer, so it may live anywhere: a call that blocks keeps it in its frame.
class lock_call {
 public:
  /// `of` outlives it. `locks`: its count is unlock()'s to give back, and the grant object is no more than a sign.
  lock_call(acquirable_state& of, const caller& by, lock_mode what, bool locks, std::stop_token stop);
  lock_call(const lock_call&) = delete;
  lock_call& operator=(const lock_call&) = delete;

  /// Nothing: an operation is begun. Of a wait (`is_queued()`) turn_ended() takes the answer, else end().
  [[nodiscard]] std::optional<acquired> begin(time_limit limit);
  /// As begin().
  [[nodiscard]] std::optional<acquired> turn_ended(operations::turn_wait_result&& result);
  [[nodiscard]] acquired end(operations::acquire_result&& result);
  /// Behind begin(), if it made an operation. Nothing: no limit.
  [[nodiscard]] std::optional<instant> until() const noexcept { return end_.until; }

 protected:
  ~lock_call() = default;

  /// Its thread waits: where answers come to, it must not.
  [[nodiscard]] virtual bool blocks() const noexcept = 0;
  /// It is its owner's call no more, and no operation of it is under way.
  void forget() noexcept {
    when_stopped_.reset();
    calls_.clear();
    operation_.reset();
  }
  [[nodiscard]] bool is_queued() const noexcept { return queued_; }
  [[nodiscard]] acquirable_state& of() const noexcept { return of_; }
  [[nodiscard]] acquired refused(failure why) const;
  /// Who hears of the acquisition. Asked once.
  [[nodiscard]] virtual std::shared_ptr<operations::receiver<operations::acquire_result>> told() = 0;
  /// Who hears of a wait. Asked for each.
  [[nodiscard]] virtual std::shared_ptr<operations::receiver<operations::turn_wait_result>> told_of_turn() = 0;

 private:
  /// What it is told without a request: it re-enters, or is refused. Nothing: it contends.
  [[nodiscard]] std::optional<acquired> answer_now();
  [[nodiscard]] lock_owners::admission admit();
  [[nodiscard]] bool enter(const std::shared_ptr<hold>& granted);
  void make_operation(time_limit limit);
  [[nodiscard]] std::optional<acquired> go_on(time_limit limit);
  /// False: its turn has come meanwhile.
  [[nodiscard]] bool wait_in_queue();
  /// `next` is begun by `begins`, and a stop ends it.
  template <class Operation, class Begin>
  void begin_stoppable(const std::shared_ptr<Operation>& next, Begin&& begins);

  [[nodiscard]] bool is_of_parts() const noexcept { return of_.owners()->has_parts(); }
  [[nodiscard]] call_end end_of(time_limit limit) const;
  [[nodiscard]] std::function<log_line()> warning() const;
  [[nodiscard]] lock_meter::side_meter* meter() const noexcept;
  void count_refused(const std::error_code& why) const noexcept;

  struct turn;
  acquirable_state& of_;
  const caller by_;
  const side side_;
  const std::stop_token stop_;
  const lock_parts parts_;
  bool may_wait_for_itself_ = false;  ///< its thread has some of it
  call_end end_{};
  instant began_at_{};                   ///< once an operation was made
  instant warns_at_{};                   ///< while it is queued
  std::optional<instant> turn_came_at_;  ///< nothing: it was not queued
  std::shared_ptr<operations::acquire> operation_;
  bool queued_ = false;  ///< a wait is under way
  /// On each part; of a multi-lock the last is on itself. Left before what they refer to goes.
  boost::container::small_vector<lock_owners::call, 1> calls_;
  std::optional<std::stop_callback<abandon_operation>> when_stopped_;  ///< while an operation is under way
};

/// One whose thread waits.
class blocking_call final : public lock_call {
 public:
  using lock_call::lock_call;
  [[nodiscard]] acquired run(time_limit limit);
  /// Behind begin(), where it is not queued.
  [[nodiscard]] operations::acquire_result wait() noexcept { return told_.wait(); }

 private:
  [[nodiscard]] bool blocks() const noexcept override { return true; }
  [[nodiscard]] std::shared_ptr<operations::receiver<operations::acquire_result>> told() override {
    return told_.shared();
  }
  [[nodiscard]] std::shared_ptr<operations::receiver<operations::turn_wait_result>> told_of_turn() override {
    return told_of_turn_.emplace().shared();
  }

  blocking_receiver<operations::acquire_result> told_;
  std::optional<blocking_receiver<operations::turn_wait_result>> told_of_turn_;
};

}  // namespace zklock::detail
