#pragma once

/// What <zklock/async.hpp> has, as operations of Asio: `co_await zklock::async_acquire(lock, asio::use_awaitable)`. Of
/// Boost.Asio from Boost 1.77 on; with ZKLOCK_STANDALONE_ASIO defined of standalone Asio from 1.20 on. Not part of
/// <zklock/zklock.hpp>. The library itself needs neither.
#include <zklock/config.hpp>  // first: it checks the compiler

#if defined(ZKLOCK_STANDALONE_ASIO)
#include <asio/version.hpp>
#if ASIO_VERSION < 102000
#error "<zklock/asio.hpp> needs Asio 1.20 or later: it has cancellation slots"
#endif
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/error.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution/outstanding_work.hpp>
#include <asio/execution_context.hpp>
#include <asio/post.hpp>
#include <asio/prefer.hpp>
#include <asio/query.hpp>
#include <asio/system_executor.hpp>
#include <asio/use_future.hpp>
#else
#include <boost/version.hpp>
#if BOOST_VERSION < 107700
#error \
    "<zklock/asio.hpp> needs Boost 1.77 or later, e.g. libboost1.81-dev (cancellation slots). Else define ZKLOCK_STANDALONE_ASIO (libasio-dev), or use <zklock/async.hpp>"
#endif
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/use_future.hpp>
#endif

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <zklock/async.hpp>

namespace zklock {
// One program may have parts with each: they have types of their own.
#if defined(ZKLOCK_STANDALONE_ASIO)
inline namespace with_standalone_asio {
namespace net = ::asio;
using net_error_code = std::error_code;
using net_system_error = std::system_error;
#else
inline namespace with_boost_asio {
namespace net = ::boost::asio;
using net_error_code = boost::system::error_code;
using net_system_error = boost::system::system_error;
#endif

namespace asio_detail {

/// What belongs to an execution context, in memory of its handler's allocator.
class in_context {
 public:
  in_context() = default;
  in_context(const in_context&) = delete;
  in_context& operator=(const in_context&) = delete;
  virtual void destroy() noexcept = 0;

 protected:
  ~in_context() = default;
};
/// What this thread would destroy while it lives goes with it: behind a mutex that is locked after it.
class destroyed_later {
 public:
  destroyed_later() noexcept : outer_(std::exchange(innermost_, this)) {}
  destroyed_later(const destroyed_later&) = delete;
  destroyed_later& operator=(const destroyed_later&) = delete;
  ~destroyed_later() {
    innermost_ = outer_;
    if (what_ != nullptr) {
      what_->destroy();
    }
  }
  static void destroy(in_context* what) noexcept {
    innermost_ != nullptr && innermost_->what_ == nullptr ? static_cast<void>(innermost_->what_ = what)
                                                          : what->destroy();
  }

 private:
  static inline thread_local destroyed_later* innermost_ = nullptr;
  destroyed_later* const outer_;
  in_context* what_ = nullptr;
};
struct destroys {
  void operator()(in_context* what) const noexcept { destroyed_later::destroy(what); }
};

/// What waits in one execution context.
class waiting {
 public:
  waiting() = default;
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;
  virtual ~waiting() = default;
  /// The context goes: what must be destroyed while it is there, with no mutex held, and no answer has it any more. Called with
  /// the mutex of its list held.
  [[nodiscard]] virtual std::unique_ptr<in_context, destroys> forget() noexcept = 0;
  /// Behind that: the call is abandoned.
  virtual void abandon() noexcept = 0;
};

/// Those of one context. The mutex outlives the context: under it meet an answer and the end of the context.
struct waiting_list {
  std::mutex mutex{};
  std::set<std::shared_ptr<waiting>> all{};
  bool gone = false;
};

/// What each context has of ours.
class waiting_service final : public net::execution_context::service {
 public:
  using key_type = waiting_service;
  static inline net::execution_context::id id{};

  explicit waiting_service(net::execution_context& of) : net::execution_context::service(of) {}
  waiting_service(const waiting_service&) = delete;
  waiting_service& operator=(const waiting_service&) = delete;
  /// One that is made while the context shuts its services down is not shut down with them.
  ~waiting_service() override { end(); }
  [[nodiscard]] const std::shared_ptr<waiting_list>& list() const noexcept { return list_; }

 private:
  void shutdown() noexcept override { end(); }
  void end() noexcept {
    std::set<std::shared_ptr<waiting>> all;
    std::vector<std::unique_ptr<in_context, destroys>> handlers;
    {
      const std::lock_guard lock(list_->mutex);
      list_->gone = true;
      all.swap(list_->all);
      handlers.reserve(all.size());
      for (const std::shared_ptr<waiting>& one : all) {
        handlers.push_back(one->forget());
      }
    }
    handlers.clear();
    for (const std::shared_ptr<waiting>& one : all) {
      one->abandon();
    }
  }
  const std::shared_ptr<waiting_list> list_ = std::make_shared<waiting_list>();
};

/// Of one operation. `cancelled` belongs to the executor that owns the slot.
struct cancellation {
  std::stop_source stop{};
  bool cancelled = false;
  bool may_come = false;  ///< the handler has a slot
};

[[nodiscard]] inline net_error_code aborted() { return net::error::make_error_code(net::error::operation_aborted); }

/// Keeps a context running. Not executor_work_guard: in Asio 1.22 there is none of a strand of any_io_executor.
template <class Executor>
[[nodiscard]] auto keep_running(const Executor& where) {
  return net::prefer(where, net::execution::outstanding_work.tracked);
}

/// A handler, and all that belongs to its context. It is moved there alone: what a handler captures may be copied where it is
/// moved, and the copy that is left must not be destroyed elsewhere.
template <class Handler, class Executor, class... Answer>
class handler_in_context final : public in_context {
 public:
  using handler_allocator = net::associated_allocator_t<Handler>;
  using owner = std::unique_ptr<handler_in_context, destroys>;

  [[nodiscard]] static owner make(Handler&& handler, const Executor& where, const std::shared_ptr<cancellation>& state,
                                  std::optional<error>* failed) {
    own_allocator memory(net::get_associated_allocator(handler));
    handler_in_context* const place = of_memory::allocate(memory, 1);
    try {
      return owner(::new (static_cast<void*>(place)) handler_in_context(std::move(handler), where, state, failed));
    } catch (...) {
      of_memory::deallocate(memory, place, 1);
      throw;
    }
  }
  void destroy() noexcept override {
    const Handler last = std::move(handler);  // perhaps it keeps the memory in which it has waited
    free_for(last);
  }

  /// In its context. Its memory is free before the handler may ask for more.
  static void run(owner of) {
    Handler handler = std::move(of->handler);
    const auto work = std::move(of->work);
    const std::shared_ptr<cancellation> state = std::move(of->state);
    std::optional<error>* const failed = of->failed;
    detail::answer_of<Answer...> answer = std::move(of->answer);
    of.release()->free_for(handler);
    if (state->may_come) {
      net::get_associated_cancellation_slot(handler).clear();
    }
    if (state->cancelled) {
      answer.values = {};  // what was granted is given back before the handler may ask again
      std::move(handler)(aborted(), Answer{}...);
    } else {
      answer.show_words(failed);
      std::apply([&](Answer&... each) { std::move(handler)(net_error_code(answer.ec), std::move(each)...); },
                 answer.values);
    }
  }

  const Executor where;
  Handler handler;
  decltype(keep_running(std::declval<const Executor&>())) work;
  std::shared_ptr<cancellation> state;
  std::optional<error>* failed;
  detail::answer_of<Answer...> answer{};

 private:
  using own_allocator = typename std::allocator_traits<handler_allocator>::template rebind_alloc<handler_in_context>;
  using of_memory = std::allocator_traits<own_allocator>;

  handler_in_context(Handler&& of, const Executor& in, const std::shared_ptr<cancellation>& cancelled_by,
                     std::optional<error>* words_to)
      : where(in), handler(std::move(of)), work(keep_running(in)), state(cancelled_by), failed(words_to) {}
  ~handler_in_context() = default;
  /// `moved`: the handler, which has been moved out: it alone still knows its allocator.
  void free_for(const Handler& moved) noexcept {
    own_allocator memory(net::get_associated_allocator(moved));
    this->~handler_in_context();
    of_memory::deallocate(memory, this, 1);
  }
};

/// What is posted to the handler's executor. In no memory of the handler's allocator, which this thread, another one, must not
/// use.
template <class Waiting>
struct completion {
  void operator()() { Waiting::run(std::move(of)); }

  typename Waiting::owner of;
};

/// An operation between its start and its answer.
template <class Handler, class Executor, class... Answer>
class operation final : public waiting, public std::enable_shared_from_this<operation<Handler, Executor, Answer...>> {
 public:
  operation(Handler&& handler, const Executor& where, const std::shared_ptr<cancellation>& state,
            std::optional<error>* failed)
      : state_(state), next_(waits::make(std::move(handler), where, state, failed)) {}

  /// False: its context is going, and the handler is not to be called. Throws, with nothing begun.
  [[nodiscard]] bool enter() {
    auto& context = static_cast<net::execution_context&>(net::query(next_->where, net::execution::context));
    list_ = net::use_service<waiting_service>(context).list();
    typename waits::owner dropped;  // with no mutex held
    const std::lock_guard lock(list_->mutex);
    if (list_->gone) {
      dropped = std::move(next_);
      return false;
    }
    list_->all.insert(this->shared_from_this());
    return true;
  }
  /// The start has thrown.
  void leave() noexcept {
    const std::lock_guard lock(list_->mutex);
    list_->all.erase(this->shared_from_this());
    if (next_ && state_->may_come) {
      net::get_associated_cancellation_slot(next_->handler).clear();
    }
  }
  void complete(std::error_code ec, const error* why, Answer... answer) {
    const destroyed_later what_is_not_posted;
    const std::lock_guard lock(list_->mutex);
    if (next_) {  // else the context has gone
      list_->all.erase(this->shared_from_this());
      next_->answer.set(ec, next_->failed != nullptr ? why : nullptr, std::move(answer)...);
      const Executor where = next_->where;  // goes before the mutex is free: while its context is there
      net::post(where, completion<waits>{std::move(next_)});
    }
  }

 private:
  using waits = handler_in_context<Handler, Executor, Answer...>;

  [[nodiscard]] std::unique_ptr<in_context, destroys> forget() noexcept override { return std::move(next_); }
  void abandon() noexcept override { state_->stop.request_stop(); }

  const std::shared_ptr<cancellation> state_;
  typename waits::owner next_;
  std::shared_ptr<waiting_list> list_{};
};

/// Hands a stop of the user's on, where there is a cancellation slot as well.
class forwarded_stop {
 public:
  forwarded_stop(std::stop_token from, std::stop_source to) : when_(std::move(from), request{std::move(to)}) {}

 private:
  struct request {
    void operator()() noexcept { of.request_stop(); }
    std::stop_source of;
  };
  std::stop_callback<request> when_;
};

/// Whether the handler runs where the notices do: it has no executor, or that of no context.
template <class Handler>
inline constexpr bool has_no_executor = std::is_same_v<net::associated_executor_t<Handler>, net::system_executor>;

template <class Handler>
[[nodiscard]] std::shared_ptr<cancellation> cancellation_of(Handler& handler) {
  auto made = std::make_shared<cancellation>();
  if (auto slot = net::get_associated_cancellation_slot(handler); slot.is_connected()) {
    made->may_come = true;
    slot.assign([made](net::cancellation_type) {
      made->cancelled = true;
      made->stop.request_stop();
    });
  }
  return made;
}

template <class Operation, class... Answer>
class told_operation final : public detail::answer_handler<Answer...> {
 public:
  told_operation(std::shared_ptr<Operation> what, std::unique_ptr<forwarded_stop> stop)
      : what_(std::move(what)), stop_(std::move(stop)) {}
  void complete(std::error_code ec, const error* why, Answer... answer) override {
    what_->complete(ec, why, std::move(answer)...);
  }

 private:
  const std::shared_ptr<Operation> what_;
  const std::unique_ptr<forwarded_stop> stop_;
};

/// What an answer of `Handler`, a detail::answer_handler, is in Asio's terms.
template <class Handler>
struct takes;
template <class... Answer>
struct takes<detail::answer_handler<Answer...>> {
  using signature = void(net_error_code, Answer...);
  using result = std::tuple_element_t<0, std::tuple<Answer..., void>>;

  /// Where the handler's context is going nothing is begun: so has the handler. An error of the start is an answer, too: what
  /// awaits must not be left by an exception.
  template <class Call, class Handler>
  static void start(Call&& what, Handler&& handler, const std::shared_ptr<cancellation>& state,
                    std::unique_ptr<forwarded_stop> stop) {
    using executor_type = net::associated_executor_t<std::decay_t<Handler>>;
    using operation_type = operation<std::decay_t<Handler>, executor_type, Answer...>;
    static_assert(net::can_query_v<executor_type, net::execution::context_t>,
                  "the executor of this handler has no context: bind one to the token (bind_executor)");
    const executor_type where = net::get_associated_executor(handler);
    const auto one = std::make_shared<operation_type>(std::decay_t<Handler>(std::forward<Handler>(handler)), where,
                                                      state, detail::failed_of(what));
    if (!one->enter()) {
      return;
    }
    try {
      what.start(std::make_unique<told_operation<operation_type, Answer...>>(one, std::move(stop)));
    } catch (const error& why) {
      one->complete(why.code(), &why, Answer{}...);
    } catch (...) {
      one->leave();
      throw;
    }
  }
  template <class Handler>
  static auto of_std(Handler&& handler) {
    return [kept = std::decay_t<Handler>(std::forward<Handler>(handler))](std::error_code ec, Answer... each) mutable {
      std::move(kept)(net_error_code(ec), std::move(each)...);
    };
  }
};

struct initiate {
  template <class Handler, class Call>
  void operator()(Handler&& handler, Call what) const {
    using taken = takes<typename Call::handler>;
    if constexpr (has_no_executor<std::decay_t<Handler>>) {
      detail::begin(std::move(what), taken::of_std(std::forward<Handler>(handler)));
    } else if constexpr (detail::may_be_stopped<Call>) {
      const std::shared_ptr<cancellation> state = cancellation_of(handler);
      std::unique_ptr<forwarded_stop> forwards;
      if (what.how.stop.stop_possible()) {
        forwards = std::make_unique<forwarded_stop>(what.how.stop, state->stop);
      }
      what.how.stop = state->stop.get_token();
      taken::start(std::move(what), std::forward<Handler>(handler), state, std::move(forwards));
    } else {
      taken::start(std::move(what), std::forward<Handler>(handler), std::make_shared<cancellation>(), nullptr);
    }
  }
};

template <class Token>
inline constexpr bool is_use_future = false;
template <class Allocator>
inline constexpr bool is_use_future<net::use_future_t<Allocator>> = true;

[[nodiscard]] inline acquire_options options_for(const detail::time_limit& limit) {
  switch (limit.is) {
    case detail::time_limit::kind::one_try: return {std::chrono::nanoseconds(0)};
    case detail::time_limit::kind::time: return {limit.time};
    case detail::time_limit::kind::none: break;
  }
  return {};
}

/// `use_future` is fulfilled on the notification thread: Asio's own way would start a pool of threads.
template <class Call>
auto future_of(Call what) {
  using result = typename takes<typename Call::handler>::result;
  auto promise = std::make_shared<std::promise<result>>();
  std::future<result> future = promise->get_future();
  detail::begin(std::move(what), [promise](std::error_code ec, auto&&... answer) {
    if (ec) {
      promise->set_exception(std::make_exception_ptr(net_system_error(net_error_code(ec))));
    } else {
      promise->set_value(std::forward<decltype(answer)>(answer)...);
    }
  });
  return future;
}

template <class Call, class Token>
auto run(Call what, Token&& token) {
  if constexpr (is_use_future<std::decay_t<Token>>) {
    return future_of(std::move(what));
  } else {
    return net::async_initiate<Token, typename takes<typename Call::handler>::signature>(initiate(), token,
                                                                                         std::move(what));
  }
}

}  // namespace asio_detail

/// Acquires without a thread; `void(error_code, grant)`, for any completion token. As start_acquire(), and:
///
/// - *Executor*: the handler's, to which the completion is posted; work is held until then. A handler without one, and
///   `use_future`, are completed on the session's notification thread.
/// - *Cancellation*: terminal, partial and total abandon, at any moment until the handler runs: `operation_aborted`, and what was
///   granted is given back. The slot belongs to the executor, as everywhere in Asio; a handler without one is not cancelled.
/// - *The context goes*: the handler is destroyed uncalled, and the call abandoned.
/// - *Memory*: the handler waits in memory of its allocator, which its executor's threads and the starting one use alone, and is
///   moved and destroyed by its executor. If the post fails, for want of memory, that is logged, what was granted is given
///   back, and the handler is destroyed uncalled, on the notification thread.
/// - *A context that is stopped, and lives*, keeps its handlers, and the grants in them: those locks stay held.
/// - *Errors* that start_acquire() throws are the handler's as well, where it has an executor.
template <class Token>
auto async_acquire(const lock_view& of, acquire_options how, Token&& token) {
  return asio_detail::run(detail::calls::acquire{of, std::move(how)}, std::forward<Token>(token));
}
template <class Token>
auto async_acquire(const lock_view& of, Token&& token) {
  return async_acquire(of, acquire_options{}, std::forward<Token>(token));
}
/// One try.
template <class Token>
auto async_try_acquire(const lock_view& of, Token&& token) {
  return async_acquire(of, acquire_options{std::chrono::nanoseconds(0)}, std::forward<Token>(token));
}
template <class Rep, class Period, class Token>
auto async_try_acquire_for(const lock_view& of, const std::chrono::duration<Rep, Period>& time, Token&& token) {
  return async_acquire(of, asio_detail::options_for(detail::time_limit::from_duration(time)),
                       std::forward<Token>(token));
}
template <class Clock, class Duration, class Token>
auto async_try_acquire_until(const lock_view& of, const std::chrono::time_point<Clock, Duration>& end, Token&& token) {
  return async_acquire(of, asio_detail::options_for(detail::time_limit::from_time_point(end)),
                       std::forward<Token>(token));
}

// The same in all of this for what follows. What is wrong with an argument is thrown at once.

/// As start_release(); `void(error_code)`. It is not cancelled: a release goes on.
template <class Token>
auto async_release(grant given_back, Token&& token) {
  return asio_detail::run(detail::calls::release(std::move(given_back)), std::forward<Token>(token));
}

/// `void(error_code, loss_reason)` when the hold is over: lost, or given back (loss_reason::none). As start_lost().
template <class Token>
auto async_lost(const grant& of, Token&& token) {
  return asio_detail::run(detail::calls::lost(of, {}), std::forward<Token>(token));
}

/// As start_wait_connected(); `void(error_code, bool)`.
template <class Rep, class Period, class Token>
auto async_wait_connected_for(const session& in, const std::chrono::duration<Rep, Period>& time, Token&& token) {
  return asio_detail::run(detail::calls::wait_connected(in, {detail::bounded_time(time)}), std::forward<Token>(token));
}

/// As start_commit(); `void(error_code, std::vector<operation_result>)`. It is not cancelled: it may be written already.
template <class Token>
auto async_commit(transaction what, Token&& token) {
  return asio_detail::run(detail::calls::commit(std::move(what)), std::forward<Token>(token));
}

/// As start_get(); `void(error_code, std::optional<node_data>)`.
template <class Token>
auto async_get(const session& in, std::string_view path, get_options how, Token&& token) {
  return asio_detail::run(detail::calls::get(in, path, std::move(how)), std::forward<Token>(token));
}
template <class Token>
auto async_get(const session& in, std::string_view path, Token&& token) {
  return async_get(in, path, get_options{}, std::forward<Token>(token));
}

/// As start_wait_change(); `void(error_code, std::optional<value_view>)`.
template <class Token>
auto async_wait_change(const watched_value& of, std::uint64_t after, wait_options how, Token&& token) {
  return asio_detail::run(detail::calls::wait_change(of, after, std::move(how)), std::forward<Token>(token));
}
template <class Token>
auto async_wait_change(const watched_value& of, std::uint64_t after, Token&& token) {
  return async_wait_change(of, after, wait_options{}, std::forward<Token>(token));
}

/// As start_update(); `void(error_code, node_data)`. Cancelled: a write that is under way is seen through, and not told of.
template <class Token>
auto async_update(const watched_value& of, std::function<std::string(const std::string&)> f, const update_options& how,
                  Token&& token) {
  return asio_detail::run(detail::calls::update(of, std::move(f), how), std::forward<Token>(token));
}
template <class Token>
auto async_update(const watched_value& of, std::function<std::string(const std::string&)> f, Token&& token) {
  return async_update(of, std::move(f), update_options{}, std::forward<Token>(token));
}

/// As start_campaign(); `void(error_code, term)`.
template <class Token>
auto async_campaign(const election& in, acquire_options how, Token&& token) {
  return asio_detail::run(detail::calls::campaign(in, std::move(how)), std::forward<Token>(token));
}
template <class Token>
auto async_campaign(const election& in, Token&& token) {
  return async_campaign(in, acquire_options{}, std::forward<Token>(token));
}

/// As start_proclaim(); `void(error_code)`. It is not cancelled.
template <class Token>
auto async_proclaim(const term& in, std::string_view data, Token&& token) {
  return asio_detail::run(detail::calls::proclaim(in, data), std::forward<Token>(token));
}

/// As start_wait_leader(); `void(error_code, std::optional<leader_view>)`.
template <class Token>
auto async_wait_leader(const session& in, std::string_view path, wait_options how, Token&& token) {
  return asio_detail::run(detail::calls::wait_leader(in, path, std::move(how)), std::forward<Token>(token));
}
template <class Token>
auto async_wait_leader(const session& in, std::string_view path, Token&& token) {
  return async_wait_leader(in, path, wait_options{}, std::forward<Token>(token));
}

}  // inline namespace
}  // namespace zklock

// ==== with_lock(): work under a lock, ended by a loss. For Asio's coroutines. ==========================================
#if defined(ZKLOCK_STANDALONE_ASIO)
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/redirect_error.hpp>
#include <asio/strand.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#else
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#endif

#include <concepts>

#include <zklock/with_lock.hpp>

#if (defined(ZKLOCK_STANDALONE_ASIO) && defined(ASIO_HAS_CO_AWAIT)) || \
    (!defined(ZKLOCK_STANDALONE_ASIO) && defined(BOOST_ASIO_HAS_CO_AWAIT))
namespace zklock {
#if defined(ZKLOCK_STANDALONE_ASIO)
inline namespace with_standalone_asio {
#else
inline namespace with_boost_asio {
#endif

namespace asio_detail {

template <class What>
inline constexpr bool is_awaitable = false;
template <class Result, class Executor>
inline constexpr bool is_awaitable<net::awaitable<Result, Executor>> = true;

template <class Work>
concept work_of_a_coroutine =
    std::invocable<Work&, const grant&> && is_awaitable<std::invoke_result_t<Work&, const grant&>>;
template <class Work>
using executor_of = typename std::invoke_result_t<Work&, const grant&>::executor_type;
template <class Work>
using result_of = typename std::invoke_result_t<Work&, const grant&>::value_type;

[[nodiscard]] inline bool says_aborted(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const net_system_error& why) {
    return why.code() == aborted() || std::error_code(why.code()) == std::errc::operation_canceled;
  } catch (...) {
    return detail::says_cancelled(failure);
  }
}

/// Work under a lock, the child of a coroutine that waits for its end. Between its start and its end all is done in its strand,
/// since a cancellation signal is not thread-safe.
template <class Work>
class scope : public std::enable_shared_from_this<scope<Work>> {
  using executor_type = executor_of<Work>;
  static_assert(std::is_convertible_v<net::strand<executor_type>, executor_type>,
                "the work runs in a strand: its executor has to be able to be one, as any_io_executor is");

 public:
  scope(grant held, Work work, const executor_type& of_caller)
      : strand_(net::make_strand(of_caller)), held_(std::move(held)), work_(std::move(work)) {}

  /// `caller()` is posted when the work has ended and the grant was given back.
  template <class Handler>
  void start(Handler caller) {
    const auto where = net::get_associated_executor(caller);
    auto back = [caller = std::move(caller), where, work = keep_running(where)](const std::exception_ptr&) mutable {
      net::post(where, [caller = std::move(caller), work = std::move(work)]() mutable {
        net::get_associated_cancellation_slot(caller).clear();
        std::move(caller)();
      });
    };
    net::post(strand_, [one = this->shared_from_this(), back = std::move(back)]() mutable {
      net::co_spawn(one->strand_, run(one), net::bind_cancellation_slot(one->ends_child_.slot(), std::move(back)));
    });
  }

  /// The caller is cancelled. Any thread.
  void cancel() {
    net::post(strand_, [one = this->shared_from_this()] { one->end(); });
  }

  /// Behind the end.
  [[nodiscard]] detail::kept<result_of<Work>> take() {
    if (failure_ && !(lost_ && says_aborted(failure_))) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    if (lost_) {
      throw net_system_error(net_error_code(make_error_code(errc::lost)));
    }
    return std::move(*result_);
  }

 private:
  static net::awaitable<void, executor_type> run(std::shared_ptr<scope> one) {
    try {
      one->watch();
      if constexpr (std::is_void_v<result_of<Work>>) {
        co_await one->work_(std::as_const(one->held_));
        one->result_.emplace();
      } else {
        one->result_.emplace(co_await one->work_(std::as_const(one->held_)));
      }
    } catch (...) {
      one->failure_ = std::current_exception();
    }
    one->child_has_ended();
    co_await net::this_coro::throw_if_cancelled(false);  // else the next wait throws, where the child was cancelled
    net_error_code unreported;
    co_await async_release(std::move(one->held_),
                           net::redirect_error(net::use_awaitable_t<executor_type>(), unreported));
  }

  void watch() {
    auto over = [one = this->shared_from_this()](net_error_code ec, loss_reason) {
      if (!ec) {
        one->end();
      }
    };
    async_lost(held_, net::bind_cancellation_slot(ends_watch_.slot(), net::bind_executor(strand_, std::move(over))));
  }
  /// Lost, or the caller is cancelled. A child that has gone on behind the one is told of the other.
  void end() {
    if (!child_ended_) {
      if (!overrun_) {
        overrun_ = detail::log_overrun(held_);
      }
      ends_child_.emit(net::cancellation_type::terminal);
    }
  }
  void child_has_ended() {
    child_ended_ = true;
    lost_ = !held_.held();
    overrun_.reset();
    ends_watch_.emit(net::cancellation_type::terminal);
  }

  const executor_type strand_;  ///< as its executor: Asio 1.22 makes no work guard of a strand of any_io_executor
  grant held_;
  Work work_;
  net::cancellation_signal ends_child_{};
  net::cancellation_signal ends_watch_{};
  std::shared_ptr<void> overrun_{};
  bool child_ended_ = false;
  bool lost_ = false;  ///< when the child had ended
  std::exception_ptr failure_{};
  std::optional<detail::kept<result_of<Work>>> result_{};
};

/// A `use_awaitable` operation needs its slot for itself: the caller's cancellation is handed on by hand.
struct initiate_scope {
  template <class Handler, class Work>
  void operator()(Handler&& handler, const std::shared_ptr<scope<Work>>& one) const {
    if (auto slot = net::get_associated_cancellation_slot(handler); slot.is_connected()) {
      slot.assign([one](net::cancellation_type) { one->cancel(); });
    }
    one->start(std::decay_t<Handler>(std::forward<Handler>(handler)));
  }
};

/// Empty: not in time.
template <class Work>
net::awaitable<std::optional<detail::kept<result_of<Work>>>, executor_of<Work>> run_under(lock_view of,
                                                                                          acquire_options how,
                                                                                          Work work) {
  net::use_awaitable_t<executor_of<Work>> here;
  const executor_of<Work> where = co_await net::this_coro::executor;
  grant held = co_await async_acquire(of, std::move(how), here);
  if (!held) {
    co_return std::nullopt;
  }
  const auto one = std::make_shared<scope<Work>>(std::move(held), std::move(work), where);
  co_await net::async_initiate<decltype(here), void()>(initiate_scope(), here, one);
  co_return one->take();
}

template <class Work>
net::awaitable<detail::if_in_time<result_of<Work>>, executor_of<Work>> try_under(lock_view of, acquire_options how,
                                                                                 Work work) {
  auto result = co_await run_under(std::move(of), std::move(how), std::move(work));
  if constexpr (std::is_void_v<result_of<Work>>) {
    co_return result.has_value();
  } else {
    co_return std::move(result);
  }
}

}  // namespace asio_detail

/// Runs the coroutine `work(const grant&)` under the lock: `co_await` gives what it gives. co_spawn() takes it with any token.
///
///     int rows = co_await zklock::with_lock(orders, [&](const zklock::grant& held) -> asio::awaitable<int> {
///       co_return co_await db.rebuild(held.token());
///     });
///
/// - *Executor*: a strand of its own, on the caller's executor.
/// - *Its end*: a loss cancels `work` (terminal), and so does a cancellation of the caller, which also abandons the acquisition.
///   The lock goes back only after `work` has ended, however long that takes: a line of the log once a session timeout says so.
/// - *Loss*: errc::lost if the hold was lost when `work` ended. An exception of `work` passes, but for one that says that it was
///   cancelled (`operation_aborted`): that is the loss.
/// - *Release*: awaited. Its errors are not reported, as std::lock_guard reports none: the result counts.
/// - *Errors*: those of async_acquire().
/// - *The context goes*: first the frame of `work`, then the grant.
/// - *g++ 12* and earlier destroy twice what a lambda captures by value that is written within a co_await expression: capture by
///   reference, or give the lambda a name before.
template <asio_detail::work_of_a_coroutine Work>
[[nodiscard]] net::awaitable<asio_detail::result_of<Work>, asio_detail::executor_of<Work>> with_lock(lock_view of,
                                                                                                     Work work) {
  acquire_options how;
  auto result = co_await asio_detail::run_under(std::move(of), std::move(how), std::move(work));
  if constexpr (!std::is_void_v<asio_detail::result_of<Work>>) {
    co_return std::move(*result);
  }
}

/// The same within a time. Not in time: an empty optional (false, where `work` gives void), and `work` was not called.
template <class Rep, class Period, asio_detail::work_of_a_coroutine Work>
[[nodiscard]] net::awaitable<detail::if_in_time<asio_detail::result_of<Work>>, asio_detail::executor_of<Work>>
try_with_lock_for(lock_view of, const std::chrono::duration<Rep, Period>& time, Work work) {
  return asio_detail::try_under(std::move(of), asio_detail::options_for(detail::time_limit::from_duration(time)),
                                std::move(work));
}

/// A coroutine gets no stop token: it is cancelled. Called as a function of a thread it would run without the lock.
template <detail::work_of_a_thread Work>
requires asio_detail::is_awaitable<detail::result_on_a_thread<Work>>
void with_lock(const lock_view& of, Work&& work, std::stop_token stop = {}) = delete;
template <class Rep, class Period, detail::work_of_a_thread Work>
requires asio_detail::is_awaitable<detail::result_on_a_thread<Work>>
void try_with_lock_for(const lock_view& of, const std::chrono::duration<Rep, Period>& time, Work&& work,
                       std::stop_token stop = {}) = delete;

}  // inline namespace
}  // namespace zklock
#endif
