#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include <zklock/error.hpp>
#include <zklock/grant.hpp>
#include <zklock/view.hpp>

namespace zklock {

namespace detail {

/// Logs once a session timeout that work under `held` runs on though it is to end, until what is returned goes. Null: no memory.
[[nodiscard]] ZKLOCK_EXPORT std::shared_ptr<void> log_overrun(const grant& held) noexcept;

/// Whether work that was to end says so: a code that is std::errc::operation_canceled, as errc::abandoned is.
[[nodiscard]] inline bool says_cancelled(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::system_error& why) {
    return why.code() == std::errc::operation_canceled;
  } catch (...) {
    return false;
  }
}

/// What is kept of a result, and what a try gives.
template <class Result>
using kept = std::conditional_t<std::is_void_v<Result>, std::monostate, std::decay_t<Result>>;
template <class Result>
using if_in_time = std::conditional_t<std::is_void_v<Result>, bool, std::optional<kept<Result>>>;

template <class Work>
concept work_of_a_thread = std::invocable<Work&, const grant&, std::stop_token>;
template <class Work>
using result_on_a_thread = std::invoke_result_t<Work&, const grant&, std::stop_token>;

/// Ends when `work` has ended and the grant was given back.
template <class Work>
kept<result_on_a_thread<Work>> run_under(grant held, Work& work, std::stop_token stop) {
  const std::string path = held.path();
  std::optional<kept<result_on_a_thread<Work>>> result;
  std::exception_ptr failure;
  {
    std::stop_source ends;
    std::shared_ptr<void> overrun;
    const auto end = [&]() noexcept {
      if (ends.request_stop()) {  // the first one
        overrun = log_overrun(held);
      }
    };
    const std::stop_callback when_lost(held.lost(), end);
    const std::stop_callback when_stopped(std::move(stop), end);
    try {
      if constexpr (std::is_void_v<result_on_a_thread<Work>>) {
        work(std::as_const(held), ends.get_token());
        result.emplace();
      } else {
        result.emplace(work(std::as_const(held), ends.get_token()));
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
  const bool lost = !held.held();
  std::error_code unreported;
  held.release(unreported);
  if (failure && !(lost && says_cancelled(failure))) {
    std::rethrow_exception(failure);
  }
  if (lost) {
    throw error(errc::lost, "with_lock", path);
  }
  return std::move(*result);
}

}  // namespace detail

/// Runs `work(const grant&, std::stop_token)` under the lock, on the calling thread, and returns what it returns (by value).
///
///     zklock::with_lock(orders, [&](const zklock::grant& held, std::stop_token ends) {
///       while (!ends.stop_requested() && rebuild.step(held.token())) {}
///     });
///
/// - *Its end*: a loss stops the token, and so does a stop of `stop`, which also abandons the acquisition. The lock goes back only
///   after `work` has ended, however long that takes: a line of the log once a session timeout says so.
/// - *Thread*: not the session's notification thread, which is told of losses: there none stops the token.
/// - *Loss*: errc::lost if the hold was lost when `work` ended. An exception of `work` passes, but for one that says that it was
///   cancelled (a code that is std::errc::operation_canceled, as errc::abandoned is): that is the loss.
/// - *Release*: waits as grant::release() does. Its errors are not reported, as std::lock_guard reports none: the result counts.
/// - *Errors*: those of acquire().
/// - *Coroutines*: <zklock/asio.hpp> has with_lock() for Asio's.
template <detail::work_of_a_thread Work>
auto with_lock(const lock_view& of, Work&& work, std::stop_token stop = {})
    -> std::decay_t<detail::result_on_a_thread<Work>> {
  lock_view lock = of;
  grant held = lock.acquire(stop);
  if constexpr (std::is_void_v<detail::result_on_a_thread<Work>>) {
    static_cast<void>(detail::run_under(std::move(held), work, std::move(stop)));
  } else {
    return detail::run_under(std::move(held), work, std::move(stop));
  }
}

/// The same within a time. Not in time: an empty optional (false, where `work` returns void), and `work` was not called.
template <class Rep, class Period, detail::work_of_a_thread Work>
auto try_with_lock_for(const lock_view& of, const std::chrono::duration<Rep, Period>& time, Work&& work,
                       std::stop_token stop = {}) -> detail::if_in_time<detail::result_on_a_thread<Work>> {
  lock_view lock = of;
  grant held = lock.try_acquire_for(time, stop);
  if (!held) {
    return {};
  }
  if constexpr (std::is_void_v<detail::result_on_a_thread<Work>>) {
    static_cast<void>(detail::run_under(std::move(held), work, std::move(stop)));
    return true;
  } else {
    return detail::run_under(std::move(held), work, std::move(stop));
  }
}

}  // namespace zklock
