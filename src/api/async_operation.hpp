#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <zklock/async.hpp>
#include <zklock/error.hpp>

#include "src/api/abandon_operation.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/receiver.hpp"
#include "src/threads/strand.hpp"
#include "src/threads/task_thread.hpp"

namespace zklock::detail {

inline void require_not_forked(const session_impl& in, std::string_view operation, std::string_view path) {
  if (in.forked()) {
    throw error(errc::forked, operation, path);
  }
}

/// Tells what `make` returns, or the error that it throws.
template <class... Answer, class Make>
void tell(answer_handler<Answer...>& told, Make&& make) {
  std::error_code ec;
  std::optional<error> why;
  std::tuple<Answer...> value;
  try {
    if constexpr (sizeof...(Answer) == 0) {
      make();
    } else {
      value = std::tuple<Answer...>(make());
    }
  } catch (error& failure) {
    ec = failure.code();
    why.emplace(std::move(failure));
  } catch (const std::bad_alloc&) {
    ec = make_error_code(std::errc::not_enough_memory);
  }
  std::apply([&](Answer&... each) { told.complete(ec, why ? &*why : nullptr, std::move(each)...); }, value);
}

/// A call of one operation, whose answer a handler gets, on the notification thread. `Value`: makes it of the operation's
/// result, or throws zklock::error.
template <class Result, class Value, class... Answer>
class async_operation final : public operations::receiver<Result>,
                              private task_thread::task,
                              public std::enable_shared_from_this<async_operation<Result, Value, Answer...>> {
 public:
  async_operation(std::shared_ptr<session_impl> in, std::unique_ptr<answer_handler<Answer...>> told, Value value)
      : in_(std::move(in)), told_(std::move(told)), value_(std::move(value)) {}

  /// The operation has this object for its receiver; `begins()` begins it.
  template <class Begin>
  void start(const std::shared_ptr<engine::operation>& what, std::stop_token stop, Begin&& begins) {
    const own_tasks_only leaving_others;
    when_stopped_.emplace(std::move(stop), abandon_operation{in_, what});
    try {
      begins();  // behind it nothing of this object is touched: it may have been answered
    } catch (...) {
      when_stopped_.reset();
      throw;
    }
  }
  /// The first one counts.
  void complete(Result result) noexcept override {
    if (!answered_.exchange(true)) {
      result_ = std::move(result);
      in_->post_answer({this->shared_from_this(), this});
    }
  }

 private:
  /// Lets go of everything here: the last reference to this object may be the strand's, and what it has may be the session's end.
  void run() override {
    when_stopped_.reset();
    const std::shared_ptr<session_impl> kept = std::move(in_);
    const std::unique_ptr<answer_handler<Answer...>> told = std::move(told_);
    Value value = std::move(value_);
    tell(*told, [&] { return value(std::move(result_)); });
  }
  [[nodiscard]] std::string name() const override { return "a handler"; }

  std::shared_ptr<session_impl> in_;
  std::unique_ptr<answer_handler<Answer...>> told_;
  Value value_;
  std::atomic<bool> answered_{false};
  Result result_{};
  std::optional<std::stop_callback<abandon_operation>> when_stopped_;
};

template <class Result, class... Answer, class Value>
auto make_async(std::shared_ptr<session_impl> in, std::unique_ptr<answer_handler<Answer...>> told, Value value) {
  return std::make_shared<async_operation<Result, Value, Answer...>>(std::move(in), std::move(told), std::move(value));
}

/// Begins the operation that `make` makes of a receiver.
template <class Result, class... Answer, class Make, class Value>
void start_async(const std::shared_ptr<session_impl>& in, std::unique_ptr<answer_handler<Answer...>> told,
                 std::stop_token stop, Make&& make, Value value) {
  const auto call = make_async<Result>(in, std::move(told), std::move(value));
  const auto what = make(std::shared_ptr<operations::receiver<Result>>(call));
  call->start(what, std::move(stop), [&] { in->begin(what); });
}

[[nodiscard]] inline std::optional<instant> end_of_wait(const std::optional<std::chrono::nanoseconds>& within) {
  const time_limit limit = within ? time_limit::from_duration(*within) : time_limit();
  return limit.is == time_limit::kind::none ? std::nullopt : std::optional(boot_now() + limit.time);
}

}  // namespace zklock::detail
