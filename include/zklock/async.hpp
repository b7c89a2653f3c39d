#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <zklock/election.hpp>
#include <zklock/error.hpp>
#include <zklock/grant.hpp>
#include <zklock/loss.hpp>
#include <zklock/node.hpp>
#include <zklock/session.hpp>
#include <zklock/transaction.hpp>
#include <zklock/view.hpp>
#include <zklock/watched_value.hpp>

namespace zklock {

/// How start_acquire() acquires, and how start_campaign() stands. g++ 12 and earlier destroy twice what is written within a
/// co_await expression: give options that have a stop token a name before.
struct acquire_options {
  std::optional<std::chrono::nanoseconds> within{};  ///< not said: no limit; zero or negative: one try
  std::stop_token stop{};                            ///< a stop abandons
  std::optional<error>* failed = nullptr;  ///< gets the words of an error, before the handler is called; null: none
};

/// How start_wait_connected(), start_wait_change() and start_wait_leader() wait.
struct wait_options {
  std::optional<std::chrono::nanoseconds> within{};  ///< not said: no limit
  std::stop_token stop{};                            ///< a stop: errc::abandoned
};

/// How start_update() updates.
struct update_options {
  const grant* guard = nullptr;  ///< as watched_value::update() has it; null: none
  std::chrono::milliseconds time_limit{10'000};
  std::stop_token stop{};  ///< a stop: errc::abandoned, unless a write is under way that succeeds
};

namespace detail {

/// Who hears the answer of a call without a thread. Told once, or destroyed untold where the start of the call has thrown.
template <class... Answer>
class answer_handler {
 public:
  answer_handler() = default;
  answer_handler(const answer_handler&) = delete;
  answer_handler& operator=(const answer_handler&) = delete;
  virtual ~answer_handler() = default;
  /// `why`: the words of `ec`, if there is one; null: no memory.
  virtual void complete(std::error_code ec, const error* why, Answer... answer) = 0;
};

/// Calls that are not begun, and what is said of them: `how.stop` where one may be stopped, `how.failed` where words may be
/// asked for. They throw what is wrong with their arguments. start() begins it, once; where it throws, nothing is begun.
namespace calls {

struct acquire {
  using handler = answer_handler<grant>;
  static constexpr const char* name = "acquire";
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  lock_view of;
  acquire_options how;
};

struct release {
  using handler = answer_handler<>;
  static constexpr const char* name = "release";
  ZKLOCK_EXPORT explicit release(grant of);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  grant given_back;
};

struct lost {
  using handler = answer_handler<loss_reason>;
  static constexpr const char* name = "wait for the loss of";
  ZKLOCK_EXPORT lost(const grant& of, std::stop_token stop);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<session_impl> in;
  std::shared_ptr<hold> of;
  wait_options how;  ///< without `within`
};

struct wait_connected {
  using handler = answer_handler<bool>;
  static constexpr const char* name = "wait for a connection of";
  ZKLOCK_EXPORT wait_connected(const session& in, wait_options how);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<session_impl> in;
  wait_options how;
};

struct commit {
  using handler = answer_handler<std::vector<operation_result>>;
  static constexpr const char* name = "commit a transaction";
  ZKLOCK_EXPORT explicit commit(transaction what);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<transaction_draft> draft;
};

struct get {
  using handler = answer_handler<std::optional<node_data>>;
  static constexpr const char* name = "get";
  ZKLOCK_EXPORT get(const session& in, std::string_view path, get_options how);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<session_impl> in;
  std::string path;
  get_options how;
};

struct wait_change {
  using handler = answer_handler<std::optional<value_view>>;
  static constexpr const char* name = "wait_change";
  ZKLOCK_EXPORT wait_change(const watched_value& of, std::uint64_t after, wait_options how);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<watched_node> of;
  std::uint64_t after;
  wait_options how;
};

struct update {
  using handler = answer_handler<node_data>;
  using edit = std::function<std::string(const std::string&)>;
  static constexpr const char* name = "update";
  ZKLOCK_EXPORT update(const watched_value& of, edit f, const update_options& how);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<watched_node> of;
  std::shared_ptr<hold> guard;  ///< null: none
  edit f;
  update_options how;
};

struct campaign {
  using handler = answer_handler<term>;
  static constexpr const char* name = "campaign";
  ZKLOCK_EXPORT campaign(const election& in, acquire_options how);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<election_state> in;
  acquire_options how;
};

struct proclaim {
  using handler = answer_handler<>;
  static constexpr const char* name = "proclaim";
  ZKLOCK_EXPORT proclaim(const term& in, std::string_view data);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<term_state> in;
  std::string path;
  std::string data;
};

struct wait_leader {
  using handler = answer_handler<std::optional<leader_view>>;
  static constexpr const char* name = "ask for the leader of";
  ZKLOCK_EXPORT wait_leader(const session& in, std::string_view path, wait_options how);
  ZKLOCK_EXPORT void start(std::unique_ptr<handler> told);

  std::shared_ptr<session_impl> in;
  std::string path;
  wait_options how;
};

}  // namespace calls

/// Where the words of a call's error are to go. Null: nowhere.
template <class Call>
[[nodiscard]] std::optional<error>* failed_of(const Call& what) noexcept {
  if constexpr (requires { what.how.failed; }) {
    return what.how.failed;
  } else {
    return nullptr;
  }
}
template <class Call>
inline constexpr bool may_be_stopped = requires(Call& what) {
  what.how.stop;
};

/// An answer on its way. Made before the call is begun, so that the answer takes no memory.
template <class... Answer>
struct answer_of {
  std::error_code ec{};
  std::unique_ptr<error> why{};  ///< seldom there
  std::tuple<Answer...> values{};

  void set(std::error_code code, const error* words, Answer... each) noexcept {
    ec = code;
    values = {std::move(each)...};
    try {
      why = words != nullptr ? std::make_unique<error>(*words) : nullptr;
    } catch (const std::bad_alloc&) {  // the code goes without words
    }
  }
  /// For acquire_options::failed. Whom it belongs to may be gone where the handler is not called.
  void show_words(std::optional<error>* to) {
    if (to != nullptr && why) {
      *to = std::move(*why);
    }
  }
};

/// A handler that is called where `post` says.
template <class Post, class Handler, class... Answer>
class posted_handler final : public answer_handler<Answer...> {
 public:
  posted_handler(Post post, Handler handler, std::optional<error>* failed)
      : post_(std::move(post)), going_(std::make_shared<on_its_way>(std::move(handler), failed)) {}
  void complete(std::error_code ec, const error* why, Answer... each) override {
    going_->answer.set(ec, going_->failed != nullptr ? why : nullptr, std::move(each)...);
    post_([one = std::move(going_)] { one->run(); });
  }

 private:
  struct on_its_way {
    on_its_way(Handler of, std::optional<error>* words_to) : handler(std::move(of)), failed(words_to) {}
    void run() {
      Handler here = std::move(*handler);
      handler
          .reset();  // what it captures may have been copied: no copy is left to go with this object, on another thread
      answer.show_words(failed);
      std::apply([&](Answer&... each) { std::invoke(std::move(here), answer.ec, std::move(each)...); }, answer.values);
    }
    std::optional<Handler> handler;
    std::optional<error>* failed;
    answer_of<Answer...> answer{};
  };
  Post post_;
  std::shared_ptr<on_its_way> going_;
};

/// Where a handler runs on the session's notification thread.
struct at_once {
  template <class What>
  void operator()(What&& what) const {
    std::forward<What>(what)();
  }
};

/// A coroutine that waits. `gone` belongs to its executor.
template <class... Answer>
struct suspended {
  std::coroutine_handle<> waiting{};
  bool gone = false;  ///< the coroutine was destroyed
  answer_of<Answer...> answer{};
};

template <class Post, class... Answer>
class told_coroutine final : public answer_handler<Answer...> {
 public:
  told_coroutine(Post post, std::shared_ptr<suspended<Answer...>> of) : post_(std::move(post)), of_(std::move(of)) {}
  void complete(std::error_code ec, const error* why, Answer... each) override {
    of_->answer.set(ec, why, std::move(each)...);
    try {
      post_([of = of_] {
        if (!of->gone) {
          of->waiting.resume();
        }
      });
    } catch (...) {
      of_->answer.values = {};  // what was granted goes back
      throw;
    }
  }

 private:
  Post post_;
  std::shared_ptr<suspended<Answer...>> of_;
};

/// What takes an answer of `Handler`, an answer_handler.
template <class Handler>
struct takes;
template <class... Answer>
struct takes<answer_handler<Answer...>> {
  template <class Post, class Told>
  using posted = posted_handler<Post, Told, Answer...>;
  template <class Post>
  using coroutine = told_coroutine<Post, Answer...>;
  using waiting = suspended<Answer...>;
};

/// Awaits a call.
template <class Post, class Call>
class [[nodiscard]] awaiting {
 public:
  awaiting(Post post, Call what) : post_(std::move(post)), what_(std::move(what)) {}
  awaiting(const awaiting&) = delete;
  awaiting& operator=(const awaiting&) = delete;
  ~awaiting() {
    if (state_ && !resumed_) {
      state_->gone = true;
      abandon_.request_stop();
    }
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    if (state_ || resumed_) {
      throw std::logic_error("zklock: the same call is awaited twice");
    }
    auto state = std::make_shared<typename taken::waiting>();
    state->waiting = waiting;
    auto told = std::make_unique<typename taken::template coroutine<Post>>(post_, state);
    failed_ = failed_of(what_);
    if constexpr (may_be_stopped<Call>) {
      user_stop_.emplace(std::exchange(what_.how.stop, abandon_.get_token()), request{abandon_});
    }
    state_ = std::move(state);
    Call what = std::move(what_);  // the coroutine may go on, and this object end, before start() has returned
    try {
      what.start(std::move(told));
    } catch (...) {
      resumed_ = true;
      throw;
    }
  }
  auto await_resume() {
    resumed_ = true;
    user_stop_.reset();
    auto& answer = state_->answer;
    if (answer.why) {
      const error thrown = *answer.why;
      answer.show_words(failed_);
      throw thrown;
    }
    if (answer.ec) {
      throw error(answer.ec, Call::name, {});
    }
    if constexpr (std::tuple_size_v < decltype(answer.values) >> 0) {
      return std::get<0>(std::move(answer.values));
    }
  }

 private:
  using taken = takes<typename Call::handler>;
  struct request {
    void operator()() noexcept { of.request_stop(); }
    std::stop_source of;
  };

  Post post_;
  Call what_;
  std::optional<error>* failed_ = nullptr;
  std::stop_source abandon_{};
  std::shared_ptr<typename taken::waiting> state_{};
  std::optional<std::stop_callback<request>> user_stop_{};
  bool resumed_ = false;
};

}  // namespace detail

/// What has a coroutine, or a handler, go on where `post` says: see on(). `co_await on(loop).acquire(lock)` and its kin do what
/// start_acquire() and its kin do; they throw zklock::error. A coroutine that is destroyed while it waits, by its executor,
/// abandons.
template <class Post>
class executor {
 public:
  explicit executor(Post post) : post_(std::move(post)) {}
  [[nodiscard]] const Post& post() const& noexcept { return post_; }
  [[nodiscard]] Post post() && { return std::move(post_); }

  /// A grant; empty: not in time.
  auto acquire(const lock_view& of, acquire_options how = {}) const {
    return wait_for(detail::calls::acquire{of, std::move(how)});
  }
  auto release(grant given_back) const { return wait_for(detail::calls::release(std::move(given_back))); }
  /// A loss_reason. `of` may go meanwhile.
  auto lost(const grant& of, std::stop_token stop = {}) const {
    return wait_for(detail::calls::lost(of, std::move(stop)));
  }
  auto wait_connected(const session& in, wait_options how = {}) const {
    return wait_for(detail::calls::wait_connected(in, std::move(how)));
  }
  auto commit(transaction what) const { return wait_for(detail::calls::commit(std::move(what))); }
  auto get(const session& in, std::string_view path, get_options how = {}) const {
    return wait_for(detail::calls::get(in, path, std::move(how)));
  }
  auto wait_change(const watched_value& of, std::uint64_t after, wait_options how = {}) const {
    return wait_for(detail::calls::wait_change(of, after, std::move(how)));
  }
  auto update(const watched_value& of, detail::calls::update::edit f, const update_options& how = {}) const {
    return wait_for(detail::calls::update(of, std::move(f), how));
  }
  auto campaign(const election& in, acquire_options how = {}) const {
    return wait_for(detail::calls::campaign(in, std::move(how)));
  }
  auto proclaim(const term& in, std::string_view data) const { return wait_for(detail::calls::proclaim(in, data)); }
  auto wait_leader(const session& in, std::string_view path, wait_options how = {}) const {
    return wait_for(detail::calls::wait_leader(in, path, std::move(how)));
  }

 private:
  template <class Call>
  detail::awaiting<Post, Call> wait_for(Call what) const {
    return {post_, std::move(what)};
  }
  Post post_;
};

/// `post(f)` is to have the copyable `f()` called later, once, never from within `post`: a queue of an event loop. It is called on
/// the session's notification thread, once a call, also when its coroutine is gone: what it refers to has to outlive the answers,
/// or the session's close(). It must not throw: else the handler is never called, and the grant given back.
template <class Post>
[[nodiscard]] executor<std::decay_t<Post>> on(Post&& post) {
  return executor<std::decay_t<Post>>(std::forward<Post>(post));
}

namespace detail {

template <class Call, class Handler>
void begin(Call what, Handler&& handler) {
  using told = typename takes<typename Call::handler>::template posted<at_once, std::decay_t<Handler>>;
  what.start(std::make_unique<told>(at_once{}, std::forward<Handler>(handler), failed_of(what)));
}
template <class Call, class Post, class Handler>
void begin(Call what, executor<Post> where, Handler&& handler) {
  using told = typename takes<typename Call::handler>::template posted<Post, std::decay_t<Handler>>;
  what.start(std::make_unique<told>(std::move(where).post(), std::forward<Handler>(handler), failed_of(what)));
}

}  // namespace detail

/// Acquires without a thread. `told`: a handler, or `on(post)` and a handler. `handler(std::error_code, grant)` is called exactly
/// once: granted; not in time: no error, and an empty grant; or with the error that acquire() would have thrown, in the same
/// cases (acquirable).
///
/// - *Thread of the handler*: the session's notification thread, on which callbacks run one at a time; with `on(post)`: where
///   that calls it. Never from within start_acquire(), and with no lock held.
/// - *Owner*: the view's (as()), or none: never the thread's.
/// - *Lifetime*: the lock and the session may go at any time: errc::abandoned, errc::session_closed. A handler that is destroyed
///   uncalled (its executor has gone) gives the grant back.
/// - *Exceptions*: of a handler on the notification thread: logged.
/// - *Errors*, thrown, with nothing begun: errc::forked; std::bad_alloc.
/// - *Cost*: as acquire(), and no thread. This thread does no work of others (docs/guide/threads.md).
template <class... Told>
void start_acquire(const lock_view& of, acquire_options how, Told&&... told) {
  detail::begin(detail::calls::acquire{of, std::move(how)}, std::forward<Told>(told)...);
}

// The same in all of this for what follows.

/// As grant::release(), without waiting: `handler(std::error_code)`. *Errors*: errc::not_owner: the grant is empty.
template <class... Told>
void start_release(grant given_back, Told&&... told) {
  detail::begin(detail::calls::release(std::move(given_back)), std::forward<Told>(told)...);
}

/// `handler(std::error_code, loss_reason)` when the hold of `of` is over: lost, or given back (loss_reason::none). After a stop:
/// errc::abandoned. The grant may go meanwhile. *Errors*: errc::not_owner: the grant is empty.
template <class... Told>
void start_lost(const grant& of, std::stop_token stop, Told&&... told) {
  detail::begin(detail::calls::lost(of, std::move(stop)), std::forward<Told>(told)...);
}

/// `handler(std::error_code, bool)`: whether a server has answered in time. An error: a stop, or what makes the session useless.
template <class... Told>
void start_wait_connected(const session& in, wait_options how, Told&&... told) {
  detail::begin(detail::calls::wait_connected(in, std::move(how)), std::forward<Told>(told)...);
}

/// As transaction::commit(): `handler(std::error_code, std::vector<operation_result>)`. *Errors*, thrown: those of its arguments,
/// also (errc::invalid_path, errc::wrong_session …).
template <class... Told>
void start_commit(transaction what, Told&&... told) {
  detail::begin(detail::calls::commit(std::move(what)), std::forward<Told>(told)...);
}

/// As session::get(): `handler(std::error_code, std::optional<node_data>)`. *Errors*, thrown: errc::invalid_path, also.
template <class... Told>
void start_get(const session& in, std::string_view path, get_options how, Told&&... told) {
  detail::begin(detail::calls::get(in, path, std::move(how)), std::forward<Told>(told)...);
}

/// As watched_value::wait_change(): `handler(std::error_code, std::optional<value_view>)`; empty: not in time. The value may go:
/// errc::abandoned, or the view that says so (value_view::current).
template <class... Told>
void start_wait_change(const watched_value& of, std::uint64_t after, wait_options how, Told&&... told) {
  detail::begin(detail::calls::wait_change(of, after, std::move(how)), std::forward<Told>(told)...);
}

/// As watched_value::update(): `handler(std::error_code, node_data)`. `f` is called on the session's notification thread, perhaps
/// while its coroutine or its context goes: it must own what it uses. It must not throw: errc::abandoned, and nothing is written. *Errors*, thrown: errc::not_owner, errc::wrong_session of the guard, also.
template <class... Told>
void start_update(const watched_value& of, std::function<std::string(const std::string&)> f, const update_options& how,
                  Told&&... told) {
  detail::begin(detail::calls::update(of, std::move(f), how), std::forward<Told>(told)...);
}

/// As election::campaign(): `handler(std::error_code, term)`; an empty term: not in time. *Errors*, thrown: errc::would_deadlock,
/// also.
template <class... Told>
void start_campaign(const election& in, acquire_options how, Told&&... told) {
  detail::begin(detail::calls::campaign(in, std::move(how)), std::forward<Told>(told)...);
}

/// As term::proclaim(): `handler(std::error_code)`. *Errors*, thrown: errc::not_owner, errc::request_too_large, also.
template <class... Told>
void start_proclaim(const term& in, std::string_view data, Told&&... told) {
  detail::begin(detail::calls::proclaim(in, data), std::forward<Told>(told)...);
}

/// As wait_leader(): `handler(std::error_code, std::optional<leader_view>)`; empty: not in time.
template <class... Told>
void start_wait_leader(const session& in, std::string_view path, wait_options how, Told&&... told) {
  detail::begin(detail::calls::wait_leader(in, path, std::move(how)), std::forward<Told>(told)...);
}

}  // namespace zklock
