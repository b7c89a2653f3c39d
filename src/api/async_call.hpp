#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

#include <zklock/async.hpp>

#include "src/api/hold_notice.hpp"
#include "src/api/lock_call.hpp"
#include "src/threads/task_thread.hpp"

namespace zklock::detail {

/// A call whose answer a handler gets: on the notification thread, whose task it is. On the strand it only posts itself.
class async_call final : public lock_call,
                         private operations::receiver<operations::acquire_result>,
                         private operations::receiver<operations::turn_wait_result>,
                         private task_thread::task,
                         public std::enable_shared_from_this<async_call> {
 public:
  async_call(std::shared_ptr<acquirable_state> of, lock_mode what, std::stop_token stop,
             std::unique_ptr<answer_handler<grant>> told);
  /// Throws what a refusal before the start throws.
  void start(time_limit limit);

 private:
  // on the strand, or where it starts
  void complete(operations::acquire_result result) noexcept override;
  void complete(operations::turn_wait_result result) noexcept override;
  void answer(acquired&& with) noexcept;
  // on the notification thread
  void run() override;
  [[nodiscard]] std::string name() const override { return "a handler"; }

  [[nodiscard]] bool blocks() const noexcept override { return false; }
  [[nodiscard]] std::shared_ptr<operations::receiver<operations::acquire_result>> told() override {
    return {shared_from_this(), this};
  }
  [[nodiscard]] std::shared_ptr<operations::receiver<operations::turn_wait_result>> told_of_turn() override {
    return {shared_from_this(), this};
  }

  std::shared_ptr<acquirable_state> state_;  ///< let go on the notification thread: it may be the session's end
  std::unique_ptr<answer_handler<grant>> handler_;
  acquired answer_;
};

/// Begins one: for locks, and for candidates.
void start_async_call(const std::shared_ptr<acquirable_state>& of, lock_mode what, acquire_options&& how,
                      std::unique_ptr<answer_handler<grant>> told);

/// A handler that waits for the end of a hold.
class async_end final : public hold_end_listener,
                        private task_thread::task,
                        public std::enable_shared_from_this<async_end> {
 public:
  async_end(std::shared_ptr<session_impl> session, std::shared_ptr<hold> of,
            std::unique_ptr<answer_handler<loss_reason>> told)
      : session_(std::move(session)), hold_(std::move(of)), handler_(std::move(told)) {}
  void start(std::stop_token stop);
  void over(loss_reason why) noexcept override { complete({}, why); }

 private:
  struct abandon {
    void operator()() const noexcept;
    async_end* of;
  };
  /// The first one counts.
  void complete(std::error_code ec, loss_reason why) noexcept;
  void arrive() noexcept;
  void run() override;
  [[nodiscard]] std::string name() const override { return "a handler"; }

  std::shared_ptr<session_impl> session_;
  std::shared_ptr<hold> hold_;
  std::unique_ptr<answer_handler<loss_reason>> handler_;
  std::atomic<bool> answered_{false};
  std::atomic<int> awaited_{2};  ///< the start and the answer
  std::error_code ec_;
  loss_reason why_ = loss_reason::none;
  std::optional<std::stop_callback<abandon>> when_stopped_;
};

}  // namespace zklock::detail
