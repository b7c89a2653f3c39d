#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include <zklock/error.hpp>
#include <zklock/grant.hpp>
#include <zklock/loss.hpp>
#include <zklock/view.hpp>

namespace zklock {

/// How start_acquire() acquires.
struct acquire_options {
  std::optional<std::chrono::nanoseconds> within{};  ///< not said: no limit; zero or negative: one try
  std::stop_token stop{};                            ///< a stop abandons
  std::optional<error>* failed = nullptr;  ///< gets the words of an error, before the handler is called; null: none
};

namespace detail {

/// What a call is answered with. Called once, or destroyed uncalled where the start of the call has thrown.
class acquire_handler {
 public:
  acquire_handler() = default;
  acquire_handler(const acquire_handler&) = delete;
  acquire_handler& operator=(const acquire_handler&) = delete;
  virtual ~acquire_handler() = default;
  /// `why`: the words of `ec`, if there is one; null: no memory.
  virtual void complete(std::error_code ec, grant taken, const error* why) = 0;
};
class release_handler {
 public:
  release_handler() = default;
  release_handler(const release_handler&) = delete;
  release_handler& operator=(const release_handler&) = delete;
  virtual ~release_handler() = default;
  virtual void complete(std::error_code ec, const error* why) = 0;
};

class end_handler {
 public:
  end_handler() = default;
  end_handler(const end_handler&) = delete;
  end_handler& operator=(const end_handler&) = delete;
  virtual ~end_handler() = default;
  virtual void complete(std::error_code ec, loss_reason why) = 0;
};

ZKLOCK_EXPORT void start_lost(const grant& of, std::stop_token stop, std::unique_ptr<end_handler> told);
ZKLOCK_EXPORT void start_acquire(const lock_view& of, acquire_options how, std::unique_ptr<acquire_handler> told);
ZKLOCK_EXPORT void start_release(grant given_back, std::unique_ptr<release_handler> told);

/// Where a handler runs on the session's notification thread.
struct at_once {
  template <class What>
  void operator()(What&& what) const {
    std::forward<What>(what)();
  }
};

/// An answer on its way to its handler. Made before the call is: the answer takes no memory.
template <class Handler, class... Answer>
struct pending {
  Handler handler;
  std::tuple<Answer...> answer{};

  void run() {
    std::apply([this](Answer&... each) { std::invoke(std::move(handler), std::move(each)...); }, answer);
  }
};

/// Words for acquire_options::failed. Whom it belongs to may be gone before the handler is called.
class words_to_tell {
 public:
  explicit words_to_tell(std::optional<error>* to = nullptr) noexcept : to_(to) {}
  void note(const error* why) noexcept {
    try {
      words_ = to_ != nullptr && why != nullptr ? std::optional<error>(*why) : std::nullopt;
    } catch (const std::bad_alloc&) {  // the code goes without words
    }
  }
  void tell() {
    if (words_) {
      *to_ = std::move(words_);
    }
  }

 private:
  std::optional<error>* to_;
  std::optional<error> words_{};
};

template <class Post, class Handler>
class acquire_handler_of final : public acquire_handler {
 public:
  acquire_handler_of(Post post, Handler handler, std::optional<error>* failed)
      : post_(std::move(post)),
        pending_(std::make_shared<on_its_way>(on_its_way{{std::move(handler)}, words_to_tell(failed)})) {}
  void complete(std::error_code ec, grant taken, const error* why) override {
    pending_->answer = {ec, std::move(taken)};
    pending_->words.note(why);
    post_([one = std::move(pending_)] {
      one->words.tell();
      one->run();
    });
  }

 private:
  struct on_its_way : pending<Handler, std::error_code, grant> {
    words_to_tell words;
  };
  Post post_;
  std::shared_ptr<on_its_way> pending_;
};

template <class Post, class Handler>
class end_handler_of final : public end_handler {
 public:
  end_handler_of(Post post, Handler handler)
      : post_(std::move(post)), pending_(std::make_shared<on_its_way>(on_its_way{std::move(handler)})) {}
  void complete(std::error_code ec, loss_reason why) override {
    pending_->answer = {ec, why};
    post_([one = std::move(pending_)] { one->run(); });
  }

 private:
  using on_its_way = pending<Handler, std::error_code, loss_reason>;
  Post post_;
  std::shared_ptr<on_its_way> pending_;
};

template <class Post, class Handler>
class release_handler_of final : public release_handler {
 public:
  release_handler_of(Post post, Handler handler)
      : post_(std::move(post)), pending_(std::make_shared<on_its_way>(on_its_way{std::move(handler)})) {}
  void complete(std::error_code ec, const error*) override {
    pending_->answer = {ec};
    post_([one = std::move(pending_)] { one->run(); });
  }

 private:
  using on_its_way = pending<Handler, std::error_code>;
  Post post_;
  std::shared_ptr<on_its_way> pending_;
};

/// Of a coroutine that waits. `gone` belongs to its executor.
template <class Result>
struct suspended {
  std::coroutine_handle<> waiting{};
  bool gone = false;  ///< the coroutine was destroyed
  Result result{};
  std::optional<error> why{};
  std::error_code ec{};

  void note(std::error_code code, const error* words) {
    ec = code;
    try {
      why = words != nullptr ? std::optional<error>(*words) : std::nullopt;
    } catch (const std::bad_alloc&) {  // the code goes without words
    }
  }
  void resume() {
    if (!gone) {
      waiting.resume();
    }
  }
  Result take(const char* operation) {
    if (why) {
      throw error(*why);
    }
    if (ec) {
      throw error(ec, operation, {});
    }
    return std::move(result);
  }
};
struct nothing {};

}  // namespace detail

/// What has a coroutine, or a handler, go on where `post` says: see on().
template <class Post>
class executor {
 public:
  explicit executor(Post post) : post_(std::move(post)) {}
  [[nodiscard]] const Post& post() const& noexcept { return post_; }
  [[nodiscard]] Post post() && { return std::move(post_); }

  class [[nodiscard]] acquiring;
  class [[nodiscard]] releasing;
  /// `co_await`: a grant, as start_acquire() takes it; empty: not in time. Throws zklock::error. The coroutine goes on by `post`.
  /// One that is destroyed while it waits, by its executor, abandons.
  acquiring acquire(const lock_view& of, acquire_options how = {}) const { return {post_, of, std::move(how)}; }
  /// `co_await`: as grant::release().
  releasing release(grant given_back) const { return {post_, std::move(given_back)}; }

 private:
  Post post_;
};

/// `post(f)` is to have the copyable `f()` called later, once, never from within `post`: a queue of an event loop. It is called on
/// the session's notification thread, once a call, also when its coroutine is gone: what it refers to has to outlive the answers,
/// or the session's close(). It must not throw: else the handler is never called, and the grant given back.
template <class Post>
[[nodiscard]] executor<std::decay_t<Post>> on(Post&& post) {
  return executor<std::decay_t<Post>>(std::forward<Post>(post));
}

/// Acquires without a thread. `handler(std::error_code, grant)` is called exactly once: granted; not in time: no error, and an
/// empty grant; or with the error that acquire() would have thrown, in the same cases (acquirable).
///
/// - *Thread of the handler*: the session's notification thread, on which callbacks run one at a time; with `on(post)`: where
///   that calls it. Never from within start_acquire(), and with no lock held.
/// - *Owner*: the view's (as()), or none: never the thread's.
/// - *Lifetime*: the lock and the session may go at any time: errc::abandoned, errc::session_closed. A handler that is destroyed
///   uncalled (its executor has gone) gives the grant back.
/// - *Exceptions*: of a handler on the notification thread: logged.
/// - *Errors*, thrown, with nothing begun: errc::forked; std::bad_alloc.
/// - *Cost*: as acquire(), and no thread. This thread does no work of others (docs/guide/threads.md).
template <class Handler>
void start_acquire(const lock_view& of, acquire_options how, Handler&& handler) {
  using made = detail::acquire_handler_of<detail::at_once, std::decay_t<Handler>>;
  auto told = std::make_unique<made>(detail::at_once{}, std::forward<Handler>(handler), how.failed);
  detail::start_acquire(of, std::move(how), std::move(told));
}
template <class Post, class Handler>
void start_acquire(const lock_view& of, acquire_options how, executor<Post> where, Handler&& handler) {
  using made = detail::acquire_handler_of<Post, std::decay_t<Handler>>;
  auto told = std::make_unique<made>(std::move(where).post(), std::forward<Handler>(handler), how.failed);
  detail::start_acquire(of, std::move(how), std::move(told));
}

/// As grant::release(), without waiting: `handler(std::error_code)`, as above. *Errors*: errc::not_owner: the grant is empty.
template <class Handler>
void start_release(grant given_back, Handler&& handler) {
  using made = detail::release_handler_of<detail::at_once, std::decay_t<Handler>>;
  detail::start_release(std::move(given_back),
                        std::make_unique<made>(detail::at_once{}, std::forward<Handler>(handler)));
}
template <class Post, class Handler>
void start_release(grant given_back, executor<Post> where, Handler&& handler) {
  using made = detail::release_handler_of<Post, std::decay_t<Handler>>;
  detail::start_release(std::move(given_back),
                        std::make_unique<made>(std::move(where).post(), std::forward<Handler>(handler)));
}

/// `handler(std::error_code, loss_reason)`, as above, when the hold of `of` is over: lost, or given back (loss_reason::none). After
/// a stop: errc::abandoned. The grant may go meanwhile. *Errors*: errc::not_owner: the grant is empty.
template <class Handler>
void start_lost(const grant& of, std::stop_token stop, Handler&& handler) {
  using made = detail::end_handler_of<detail::at_once, std::decay_t<Handler>>;
  detail::start_lost(of, std::move(stop), std::make_unique<made>(detail::at_once{}, std::forward<Handler>(handler)));
}
template <class Post, class Handler>
void start_lost(const grant& of, std::stop_token stop, executor<Post> where, Handler&& handler) {
  using made = detail::end_handler_of<Post, std::decay_t<Handler>>;
  detail::start_lost(of, std::move(stop),
                     std::make_unique<made>(std::move(where).post(), std::forward<Handler>(handler)));
}

template <class Post>
class executor<Post>::acquiring {
 public:
  acquiring(Post post, const lock_view& of, acquire_options how)
      : post_(std::move(post)), of_(of), how_(std::move(how)) {}
  acquiring(const acquiring&) = delete;
  acquiring& operator=(const acquiring&) = delete;
  ~acquiring() {
    if (state_ && !resumed_) {
      state_->gone = true;
      abandon_.request_stop();
    }
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    auto state = std::make_shared<detail::suspended<grant>>();
    state->waiting = waiting;
    auto told = std::make_unique<told_coroutine>(post_, state);
    const lock_view of = of_;  // the coroutine may go on, and this object end, before start_acquire() has returned
    const std::stop_token stop = abandon_.get_token();
    state_ = std::move(state);
    user_stop_.emplace(std::move(how_.stop), request{abandon_});
    try {
      detail::start_acquire(of, {how_.within, stop}, std::move(told));
    } catch (...) {
      resumed_ = true;
      throw;
    }
  }
  grant await_resume() {
    resumed_ = true;
    user_stop_.reset();
    if (how_.failed != nullptr && state_->why) {
      *how_.failed = state_->why;
    }
    return state_->take("acquire");
  }

 private:
  struct request {
    void operator()() noexcept { of.request_stop(); }
    std::stop_source of;
  };
  class told_coroutine final : public detail::acquire_handler {
   public:
    told_coroutine(Post post, std::shared_ptr<detail::suspended<grant>> state)
        : post_(std::move(post)), state_(std::move(state)) {}
    void complete(std::error_code ec, grant taken, const error* why) override {
      state_->note(ec, why);
      state_->result = std::move(taken);
      try {
        post_([state = state_] { state->resume(); });
      } catch (...) {
        state_->result = grant();
        throw;
      }
    }

   private:
    Post post_;
    std::shared_ptr<detail::suspended<grant>> state_;
  };

  Post post_;
  lock_view of_;
  acquire_options how_;
  std::stop_source abandon_{};
  std::shared_ptr<detail::suspended<grant>> state_{};
  std::optional<std::stop_callback<request>> user_stop_{};
  bool resumed_ = false;
};

template <class Post>
class executor<Post>::releasing {
 public:
  releasing(Post post, grant given_back) : post_(std::move(post)), given_back_(std::move(given_back)) {}
  releasing(const releasing&) = delete;
  releasing& operator=(const releasing&) = delete;
  ~releasing() {
    if (state_ && !resumed_) {
      state_->gone = true;
    }
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    auto state = std::make_shared<detail::suspended<detail::nothing>>();
    state->waiting = waiting;
    auto told = std::make_unique<told_coroutine>(post_, state);
    state_ = std::move(state);
    grant given_back = std::move(given_back_);
    try {
      detail::start_release(std::move(given_back), std::move(told));
    } catch (...) {
      resumed_ = true;
      throw;
    }
  }
  void await_resume() {
    resumed_ = true;
    static_cast<void>(state_->take("release"));
  }

 private:
  class told_coroutine final : public detail::release_handler {
   public:
    told_coroutine(Post post, std::shared_ptr<detail::suspended<detail::nothing>> state)
        : post_(std::move(post)), state_(std::move(state)) {}
    void complete(std::error_code ec, const error* why) override {
      state_->note(ec, why);
      post_([state = std::move(state_)] { state->resume(); });
    }

   private:
    Post post_;
    std::shared_ptr<detail::suspended<detail::nothing>> state_;
  };

  Post post_;
  grant given_back_;
  std::shared_ptr<detail::suspended<detail::nothing>> state_{};
  bool resumed_ = false;
};

}  // namespace zklock
