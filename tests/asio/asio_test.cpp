// Asio's operations on the fake ensemble: any token, cancellation, and contexts that go. With ZKLOCK_STANDALONE_ASIO or not.
#include <gtest/gtest.h>

#include <zklock/asio.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(ZKLOCK_STANDALONE_ASIO)
#if __has_include(<asio/any_completion_handler.hpp>)
#include <asio/any_completion_handler.hpp>
#endif
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/experimental/deferred.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>
namespace net_token = ::asio::experimental;
#else
#if __has_include(<boost/asio/any_completion_handler.hpp>)
#include <boost/asio/any_completion_handler.hpp>
#endif
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
namespace net_token = ::boost::asio;
#endif

#include "tests/support/threads_of_this_process.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

using test_support::threads_of_this_process;
using test_support::threads_since;

/// What a handler was told. It may only be moved.
struct told {
  std::optional<net_error_code> ec;
  grant taken;
  std::thread::id on;
  int times = 0;
};

class with_asio : public on_a_fake {
 protected:
  /// Of an acquisition, told to `to`.
  static auto into(told& to) {
    return [&to, owned = std::make_unique<int>(1)](net_error_code ec, grant taken) {
      to.ec = ec;
      to.taken = std::move(taken);
      to.on = std::this_thread::get_id();
      ++to.times;
    };
  }
  void run() {
    io_.restart();
    io_.run();
  }
  /// What was granted has been posted: a later call, of the same session, has been answered on the thread that posts.
  void await_posted() {
    recursive_mutex other(one_, "/b");
    std::promise<void> answered;
    start_acquire(other, {std::chrono::nanoseconds(0)},
                  [&answered](std::error_code, const grant&) { answered.set_value(); });
    answered.get_future().wait();
  }

  net::io_context io_;
  recursive_mutex lock_{one_, "/lock"};
  recursive_mutex lock_in_c_{one_, "/c"};
};

// ---- tokens

TEST_F(with_asio, a_coroutine_acquires_and_releases_where_its_context_runs) {
  std::thread::id on;
  net::co_spawn(
      io_,
      [&]() -> net::awaitable<void> {
        grant held = co_await async_acquire(lock_, net::use_awaitable);
        EXPECT_TRUE(held.held());
        on = std::this_thread::get_id();
        grant none = co_await async_try_acquire(lock_, net::use_awaitable);
        EXPECT_FALSE(none);
        none = co_await async_try_acquire_for(lock_, 10ms, net::use_awaitable);
        EXPECT_FALSE(none);
        none = co_await async_try_acquire_until(lock_, std::chrono::steady_clock::now() + 10ms, net::use_awaitable);
        EXPECT_FALSE(none);
        co_await async_release(std::move(held), net::use_awaitable);
        EXPECT_TRUE(queue().empty()) << "confirmed";
      },
      net::detached);
  run();
  EXPECT_EQ(on, std::this_thread::get_id());
}

net::awaitable<void> all_of_it(session& in, bool& done) {
  const auto token = net::use_awaitable;
  EXPECT_TRUE(co_await async_wait_connected_for(in, 30s, token));
  const std::vector<operation_result> made = co_await async_commit(in.transaction().create("/config", "a"), token);
  EXPECT_EQ(made.size(), 1U);
  const std::optional<node_data> read = co_await async_get(in, "/config", {.fresh = true}, token);
  EXPECT_EQ(read->data, "a");
  watched_value value(in, "/config");
  const std::optional<value_view> seen = co_await async_wait_change(value, 0, token);
  EXPECT_TRUE(seen->node);
  const std::optional<value_view> none = co_await async_wait_change(value, 1'000, {.within = 1ms}, token);
  EXPECT_FALSE(none);
  const node_data written = co_await async_update(
      value, [](const std::string& old) { return old + "b"; }, token);
  EXPECT_EQ(written.data, "ab");
  election candidate(in, "/lock", {.data = "me"});
  term mine = co_await async_campaign(candidate, token);
  co_await async_proclaim(mine, "still me", token);
  const std::optional<leader_view> leads = co_await async_wait_leader(in, "/lock", token);
  EXPECT_EQ(leads->data, "still me");
  net_error_code refused;
  const term twice = co_await async_campaign(candidate, net::redirect_error(token, refused));
  EXPECT_EQ(refused, errc::would_deadlock) << "an error of the start is the handler's";
  EXPECT_FALSE(twice);
  co_await async_release(std::move(mine), token);
  done = true;
}

TEST_F(with_asio, a_coroutine_commits_reads_updates_and_stands) {
  bool done = false;
  net::co_spawn(io_, all_of_it(one_, done), net::detached);
  run();
  EXPECT_TRUE(done);
}

net::awaitable<void> on_a_strand(lock_view lock, int& told) {
  const auto strand = net::make_strand(co_await net::this_coro::executor);
  async_acquire(lock, net::bind_executor(strand, [&told, strand](net_error_code ec, const grant& held) {
                  told += !ec && held.held() && strand.running_in_this_thread() ? 1 : 0;
                }));
}

TEST_F(with_asio, a_handler_on_a_strand_of_a_coroutines_executor_runs_there) {
  int told = 0;
  net::co_spawn(io_, on_a_strand(lock_, told), net::detached);
  run();
  EXPECT_EQ(told, 1);
}

TEST_F(with_asio, each_of_them_can_be_cancelled) {
  ASSERT_TRUE(one_.wait_connected_for(patience) && two_.wait_connected_for(patience));
  watched_value value(one_, "/config");
  election leading(two_, "/lock"), candidate(one_, "/lock");
  const term leads = leading.campaign();
  zookeeper_.hold(0);
  std::vector<net_error_code> told;
  std::vector<net::cancellation_signal> signals(4);
  const auto into = [&](std::size_t i) {
    return net::bind_cancellation_slot(
        signals[i].slot(), net::bind_executor(io_, [&](net_error_code ec, const auto&) { told.push_back(ec); }));
  };
  async_get(one_, "/config", into(0));
  async_wait_change(value, 1'000, into(1));
  async_wait_leader(one_, "/b", into(2));
  async_campaign(candidate, into(3));
  net::post(io_, [&] {
    for (net::cancellation_signal& each : signals) {
      each.emit(net::cancellation_type::total);
    }
  });
  run();
  EXPECT_EQ(told, std::vector<net_error_code>(4, net::error::make_error_code(net::error::operation_aborted)));
  zookeeper_.restore(0);
}

TEST_F(with_asio, use_future_takes_each_of_them) {
  ASSERT_TRUE(async_wait_connected_for(one_, 30s, net::use_future).get());
  EXPECT_EQ(async_commit(one_.transaction().create("/config", "a"), net::use_future).get().size(), 1U);
  EXPECT_EQ(async_get(one_, "/config", net::use_future).get()->data, "a");
  election candidate(one_, "/lock");
  term mine = async_campaign(candidate, net::use_future).get();
  async_proclaim(mine, "me", net::use_future).get();
  EXPECT_EQ(async_wait_leader(two_, "/lock", net::use_future).get()->data, "me");
  EXPECT_THROW(async_commit(one_.transaction().create("/config", "a"), net::use_future).get(), net_system_error);
}

TEST_F(with_asio, an_error_is_thrown_as_asios_and_its_words_are_kept) {
  one_.close();
  std::optional<error> failed;
  net_error_code seen;
  net::co_spawn(
      io_,
      [&]() -> net::awaitable<void> {
        try {
          const grant held = co_await async_acquire(lock_, {.failed = &failed}, net::use_awaitable);
        } catch (const net_system_error& why) {
          seen = why.code();
        }
      },
      net::detached);
  run();
  EXPECT_EQ(seen, net_error_code(make_error_code(errc::session_closed)));
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->path(), "/lock");
}

TEST_F(with_asio, a_completion_is_posted_and_work_is_held_until_then) {
  told got;
  async_acquire(lock_, net::bind_executor(io_, into(got)));
  await_posted();
  EXPECT_EQ(got.times, 0) << "never inline";
  run();
  EXPECT_EQ(got.times, 1);
  EXPECT_EQ(got.on, std::this_thread::get_id());
  EXPECT_TRUE(got.taken.held());
  recursive_mutex there(two_, "/lock");
  told other;
  async_acquire(there, net::bind_executor(io_, into(other)));
  EXPECT_TRUE(queue_is(2));
  auto gives_back = in_a_thread([&] { got.taken = {}; });
  run();  // waits for it
  EXPECT_TRUE(other.taken.held());
}

TEST_F(with_asio, a_future_is_fulfilled_without_asios_pool_of_threads) {
  const std::set<std::string> before = threads_of_this_process();
  std::future<grant> one = async_acquire(lock_, net::use_future);
  grant held = one.get();
  EXPECT_TRUE(held.held());
  std::future<loss_reason> over = async_lost(held, net::use_future);
  async_release(std::move(held), net::use_future).get();
  EXPECT_EQ(over.get(), loss_reason::none);
  EXPECT_TRUE(queue().empty());
  EXPECT_EQ(threads_since(before), 0U);
  one_.close();
  EXPECT_THROW((void)async_acquire(lock_, net::use_future).get(), net_system_error);
}

TEST_F(with_asio, a_handler_without_an_executor_runs_on_the_notification_thread) {
  const std::set<std::string> before = threads_of_this_process();
  std::promise<std::thread::id> on;
  async_acquire(lock_, [&on](net_error_code, const grant&) { on.set_value(std::this_thread::get_id()); });
  EXPECT_NE(on.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(threads_since(before), 0U);
}

TEST_F(with_asio, deferred_as_tuple_and_redirect_error_work_as_with_asios_own) {
  net::co_spawn(
      io_,
      [&]() -> net::awaitable<void> {
        auto [ec, held] = co_await async_acquire(lock_, net_token::as_tuple(net::use_awaitable));
        EXPECT_FALSE(ec);
        EXPECT_TRUE(held.held());
        net_error_code redirected;
        const grant none = co_await async_try_acquire(lock_, net::redirect_error(net::use_awaitable, redirected));
        EXPECT_FALSE(redirected);
        EXPECT_FALSE(none);
        held = {};
        auto later = async_acquire(lock_, net_token::deferred);
        const grant at_last = co_await std::move(later)(net::use_awaitable);
        EXPECT_TRUE(at_last.held());
      },
      net::detached);
  run();
}

TEST_F(with_asio, a_wait_for_a_loss_ends_with_the_grant_so_that_the_context_may_end) {
  std::optional<loss_reason> why;
  net::co_spawn(
      io_,
      [&]() -> net::awaitable<void> {
        grant held = co_await async_acquire(lock_, net::use_awaitable);
        net::co_spawn(
            io_, [&, of = &held]() -> net::awaitable<void> { why = co_await async_lost(*of, net::use_awaitable); },
            net::detached);
        co_await net::post(net::use_awaitable);
        co_await async_release(std::move(held), net::use_awaitable);
      },
      net::detached);
  run();
  EXPECT_EQ(why, loss_reason::none);
  const grant held = lock_.acquire();
  net::cancellation_signal signal;
  net_error_code ec;
  async_lost(held,
             net::bind_cancellation_slot(
                 signal.slot(), net::bind_executor(io_, [&](net_error_code told_ec, loss_reason) { ec = told_ec; })));
  net::post(io_, [&] { signal.emit(net::cancellation_type::terminal); });
  run();
  EXPECT_EQ(ec, net_error_code(net::error::operation_aborted));
  EXPECT_TRUE(held.held());
}

// ---- cancellation

TEST_F(with_asio, each_kind_of_cancellation_abandons_a_wait_and_leaves_nothing) {
  const grant held = lock_.acquire();
  for (const auto kind :
       {net::cancellation_type::terminal, net::cancellation_type::partial, net::cancellation_type::total}) {
    told got;
    net::cancellation_signal signal;
    async_acquire(lock_, net::bind_cancellation_slot(signal.slot(), net::bind_executor(io_, into(got))));
    EXPECT_TRUE(queue_is(2));
    net::post(io_, [&] { signal.emit(kind); });
    run();
    EXPECT_EQ(*got.ec, net_error_code(net::error::operation_aborted));
    EXPECT_FALSE(got.taken);
    EXPECT_TRUE(queue_is(1));
  }
}

TEST_F(with_asio, what_is_cancelled_behind_its_answer_is_aborted_and_given_back) {
  told got;
  net::cancellation_signal signal;
  async_acquire(lock_, net::bind_cancellation_slot(signal.slot(), net::bind_executor(io_, into(got))));
  await_posted();
  signal.emit(net::cancellation_type::terminal);
  run();
  EXPECT_EQ(*got.ec, net_error_code(net::error::operation_aborted));
  EXPECT_FALSE(got.taken);
  EXPECT_TRUE(queue_is(0));
  signal.emit(net::cancellation_type::terminal);  // its slot is empty
}

TEST_F(with_asio, a_stop_of_the_options_is_no_cancellation_and_both_may_be_had) {
  const grant held = lock_.acquire();
  std::stop_source stop;
  told got;
  net::cancellation_signal signal;
  async_acquire(lock_, {.stop = stop.get_token()},
                net::bind_cancellation_slot(signal.slot(), net::bind_executor(io_, into(got))));
  EXPECT_TRUE(queue_is(2));
  stop.request_stop();
  run();
  EXPECT_EQ(*got.ec, net_error_code(make_error_code(errc::abandoned)));
  EXPECT_EQ(*got.ec, std::errc::operation_canceled);
}

#if defined(ZKLOCK_STANDALONE_ASIO)  // of Boost's co_spawn such a signal ends the coroutine's own last step as well
TEST_F(with_asio, a_signal_that_was_emitted_before_a_coroutine_waits_ends_it) {
  net::cancellation_signal signal;
  bool aborted = false;
  net::co_spawn(
      io_,
      [&]() -> net::awaitable<void> {
        signal.emit(net::cancellation_type::terminal);
        try {
          const grant held = co_await async_acquire(lock_, net::use_awaitable);
        } catch (const net_system_error& why) {
          aborted = why.code() == net_error_code(net::error::operation_aborted);
        }
      },
      net::bind_cancellation_slot(signal.slot(), net::detached));
  run();
  EXPECT_TRUE(aborted);
  EXPECT_TRUE(queue_is(0));
}

#endif

// ---- what belongs to the executor

/// As captured by a lambda that is not mutable: moved by a copy. Counts what goes on other threads than its first one's.
class moved_by_a_copy {
 public:
  explicit moved_by_a_copy(std::atomic<int>& elsewhere) : elsewhere_(elsewhere) {}
  moved_by_a_copy(const moved_by_a_copy&) = default;
  moved_by_a_copy& operator=(const moved_by_a_copy&) = delete;
  ~moved_by_a_copy() { elsewhere_ += std::this_thread::get_id() == here_ ? 0 : 1; }

 private:
  std::atomic<int>& elsewhere_;
  std::thread::id here_ = std::this_thread::get_id();
};

TEST_F(with_asio, f220_what_a_handler_captures_is_destroyed_where_its_context_runs) {
  std::atomic<int> elsewhere = 0;
  int times = 0;
  for (const bool runs : {true, false}) {
    net::io_context here;
    async_acquire(lock_, net::bind_executor(here, [of = moved_by_a_copy(elsewhere), &times](
                                                      net_error_code, const grant&) { ++times; }));
    if (runs) {
      here.run();
    } else {
      await_posted();
    }
  }
  EXPECT_EQ(times, 1);
  EXPECT_EQ(elsewhere, 0);
}

/// Memory that one thread uses, and that must have all back when it goes.
struct arena {
  std::atomic<int>& faults;
  const std::thread::id user = std::this_thread::get_id();
  std::atomic<int> taken = 0;
  explicit arena(std::atomic<int>& counted_by) : faults(counted_by) {}
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() { faults += taken == 0 ? 0 : 1; }
  void use(int by) {
    taken += by;
    faults += std::this_thread::get_id() == user ? 0 : 1;
  }
};

template <class Value>
struct arena_allocator {
  using value_type = Value;
  explicit arena_allocator(arena& in) : of(&in) {}
  template <class Other>
  arena_allocator(const arena_allocator<Other>& other) : of(other.of) {}  // NOLINT(google-explicit-constructor)
  Value* allocate(std::size_t count) {
    of->use(1);
    return std::allocator<Value>().allocate(count);
  }
  void deallocate(Value* place, std::size_t count) {
    of->use(-1);
    std::allocator<Value>().deallocate(place, count);
  }
  template <class Other>
  bool operator==(const arena_allocator<Other>& other) const {
    return of == other.of;
  }
  arena* of;
};

/// It keeps the arena, and knows it no more once it was moved: a connection's handler, as Asio's own examples have it.
struct with_arena {
  using allocator_type = arena_allocator<char>;
  using executor_type = net::io_context::executor_type;
  [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type(*memory); }
  [[nodiscard]] executor_type get_executor() const noexcept { return io->get_executor(); }
  void operator()(net_error_code, const grant&) const { *at_the_call = memory->taken; }
  std::unique_ptr<arena> memory;
  int* at_the_call;
  net::io_context* io;
};

TEST_F(with_asio, f221_a_handler_waits_in_memory_that_it_keeps_and_that_no_other_thread_uses) {
  std::atomic<int> faults = 0;
  int at_the_call = -1;
  grant held = lock_.acquire();
  const auto begin = [&](net::io_context& in) {
    async_try_acquire_for(lock_, 50ms, with_arena{std::make_unique<arena>(faults), &at_the_call, &in});
  };
  begin(io_);
  run();
  EXPECT_EQ(at_the_call, 0) << "it is free when the handler is called";
  {
    net::io_context gone;
    begin(gone);
  }
  {
    net::io_context gone;
    held.release();
    begin(gone);
    await_posted();
  }
  EXPECT_EQ(faults, 0);
}

#if defined(BOOST_ASIO_ANY_COMPLETION_HANDLER_HPP) || defined(ASIO_ANY_COMPLETION_HANDLER_HPP)
TEST_F(with_asio, f221_a_handler_of_any_kind_may_hide_the_one_that_is_called) {
  told to;
  net::any_completion_handler<void(net_error_code, grant)> any(into(to));
  async_acquire(lock_, net::bind_executor(io_, std::move(any)));
  run();
  EXPECT_TRUE(to.taken.held());
}
#endif

/// That of a context, which finds no memory for what is posted, or drops it.
struct full_executor {
  net::io_context* io;
  bool throws;
  [[nodiscard]] net::io_context& query(net::execution::context_t) const noexcept { return *io; }
  [[nodiscard]] static constexpr net::execution::blocking_t query(net::execution::blocking_t) noexcept {
    return net::execution::blocking.never;
  }
  [[nodiscard]] full_executor require(net::execution::blocking_t::never_t) const noexcept { return *this; }
  template <class What>
  void execute(What what) const {
    const What dies_here = std::move(what);
    if (throws) throw std::bad_alloc();
  }
  bool operator==(const full_executor&) const noexcept = default;
};

TEST_F(with_asio, f222_a_handler_that_cannot_be_posted_goes_with_no_mutex_held_and_gives_back) {
  struct begins_another {
    recursive_mutex* other;
    net::io_context* io;
    std::shared_ptr<int> alive;
    begins_another(recursive_mutex& of, net::io_context& by, std::shared_ptr<int> with)
        : other(&of), io(&by), alive(std::move(with)) {}
    begins_another(begins_another&&) = default;
    begins_another& operator=(begins_another&&) = delete;
    ~begins_another() {
      if (alive) {
        async_try_acquire(*other, net::bind_executor(*io, [](net_error_code, const grant&) {}));
      }
    }
  };
  for (const bool throws : {true, false}) {
    const auto alive = std::make_shared<int>(1);
    async_acquire(lock_, net::bind_executor(full_executor{&io_, throws}, [one = begins_another(lock_in_c_, io_, alive)](
                                                                             net_error_code, const grant&) {}));
    EXPECT_TRUE(eventually([&] { return alive.use_count() == 1; })) << throws;
    EXPECT_TRUE(queue_is(0)) << "what was granted is given back";
    await_posted();  // the notification thread goes on
    run();
  }
}

// ---- contexts that go

TEST_F(with_asio, a_context_that_is_destroyed_forgets_those_who_wait_and_leaves_nothing) {
  grant held = lock_.acquire();
  std::atomic<int> told_of = 0;
  const auto alive = std::make_shared<int>(1);
  {
    net::io_context gone;
    for (int i = 0; i < 100; ++i) {
      async_acquire(lock_, net::bind_executor(gone, [&told_of, alive](net_error_code, const grant&) { ++told_of; }));
    }
    EXPECT_TRUE(queue_is(101));
    EXPECT_EQ(alive.use_count(), 101);
  }
  EXPECT_EQ(alive.use_count(), 1) << "the handlers are destroyed";
  held.release();
  EXPECT_TRUE(queue_is(0)) << "what is granted now is given back";
  EXPECT_EQ(told_of, 0);
}

TEST_F(with_asio, a_context_that_is_destroyed_abandons_its_calls_at_once) {
  const grant held = lock_.acquire();
  {
    net::io_context gone;
    async_acquire(lock_, net::bind_executor(gone, [](net_error_code, const grant&) {}));
    EXPECT_TRUE(queue_is(2));
  }
  EXPECT_TRUE(queue_is(1)) << "though the lock is still held";
}

TEST_F(with_asio, a_strand_is_used_no_more_when_its_context_has_gone) {
  for (int i = 0; i < 20; ++i) {
    const grant held = i % 2 == 0 ? lock_.acquire() : grant();
    auto gone = std::make_unique<net::io_context>();
    async_acquire(lock_, net::bind_executor(net::make_strand(*gone), [](net_error_code, const grant&) {}));
    net::co_spawn(
        net::make_strand(*gone),
        [this]() -> net::awaitable<void> { const grant got = co_await async_acquire(lock_, net::use_awaitable); },
        net::detached);
    if (i % 2 == 1) {
      gone->run();
    }
    gone.reset();
  }
}

/// Gives a grant back by an operation of its own, from a handler's destructor.
struct guard {
  guard(grant of, net::io_context& by) : held(std::move(of)), io(&by) {}
  guard(guard&& other) noexcept : held(std::move(other.held)), io(other.io) {}
  guard& operator=(guard&&) = delete;
  ~guard() {
    if (held) {
      async_release(std::move(held), net::bind_executor(*io, [](net_error_code) {}));
    }
  }
  grant held;
  net::io_context* io;
};

TEST_F(with_asio, a_handler_may_begin_an_operation_when_it_is_destroyed_with_its_context) {
  recursive_mutex other(one_, "/a");
  const grant held = lock_.acquire();
  {
    net::io_context gone;
    async_acquire(lock_,
                  net::bind_executor(gone, [own = guard(other.acquire(), gone)](net_error_code, const grant&) {}));
    net::post(gone, [own = guard(lock_in_c_.acquire(), gone)] {});  // destroyed behind our service
    EXPECT_TRUE(queue_is(2));
  }
  EXPECT_TRUE(queue_is(0, "/a"));
  EXPECT_TRUE(queue_is(0, "/c"));
}

/// Begins to wait when it goes.
struct late_waiter {
  late_waiter(recursive_mutex& of, net::io_context& by, std::shared_ptr<int> with)
      : lock(&of), io(&by), kept(std::move(with)) {}
  late_waiter(late_waiter&&) = default;
  late_waiter& operator=(late_waiter&&) = delete;
  ~late_waiter() {
    if (kept) {
      async_acquire(*lock, net::bind_executor(*io, [alive = std::move(kept)](net_error_code, const grant&) {}));
    }
  }
  recursive_mutex* lock;
  net::io_context* io;
  std::shared_ptr<int> kept;
};

TEST_F(with_asio, the_first_operation_of_a_context_that_goes_is_forgotten_with_it) {
  grant held = lock_.acquire();
  const auto alive = std::make_shared<int>(1);
  {
    net::io_context gone;
    net::post(gone, [one = late_waiter(lock_, gone, alive)] {});
  }
  EXPECT_EQ(alive.use_count(), 1) << "no answer has its handler any more";
  held.release();
  EXPECT_TRUE(queue_is(0));
}

TEST_F(with_asio, words_are_not_told_where_the_handler_is_not_called) {
  const grant held = lock_.acquire();
  auto words = std::make_unique<std::optional<error>>();
  auto gone = std::make_unique<net::io_context>();
  async_acquire(lock_, {.failed = words.get()}, net::bind_executor(*gone, [](net_error_code, const grant&) {}));
  EXPECT_TRUE(queue_is(2));
  gone.reset();
  words.reset();
  EXPECT_TRUE(queue_is(1));
}

TEST_F(with_asio, a_context_that_is_destroyed_behind_an_answer_gives_its_grant_back) {
  {
    net::io_context gone;
    async_acquire(lock_, net::bind_executor(gone, [](net_error_code, const grant&) { ADD_FAILURE(); }));
    await_posted();
    EXPECT_TRUE(queue_is(1));
  }
  EXPECT_TRUE(queue_is(0));
}

// ---- many

TEST_F(with_asio, many_in_flight_are_told_once_each_though_half_are_cancelled_at_random) {
  constexpr int many = 400;
  shared_mutex both(one_, "/a");
  semaphore pool(one_, "/b", 3);
  multi_lock several{lock_, pool.permits(1)};
  std::atomic<int> granted = 0, aborted = 0, other = 0;
  net::thread_pool threads(3);
  std::vector<std::unique_ptr<net::cancellation_signal>> signals;
  std::vector<net::strand<net::thread_pool::executor_type>> strands;
  std::mt19937 lot(7);
  const owner job;
  for (int i = 0; i < many; ++i) {
    signals.push_back(std::make_unique<net::cancellation_signal>());
    strands.push_back(net::make_strand(threads.get_executor()));
  }
  for (std::size_t i = 0; i < many; ++i) {
    const lock_view of = i % 5 == 0   ? lock_.as(job)
                         : i % 5 == 1 ? both.write()
                         : i % 5 == 2 ? both.read()
                         : i % 5 == 3 ? pool.permits(2)
                                      : lock_view(several);
    net::post(strands[i], [&, of, i] {
      async_acquire(
          of, net::bind_cancellation_slot(
                  signals[i]->slot(), net::bind_executor(strands[i], [&](net_error_code ec, grant taken) {
                    ++(!ec && taken ? granted : ec == net_error_code(net::error::operation_aborted) ? aborted : other);
                  })));
    });
    if (lot() % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(lot() % 200));
      const std::size_t which = lot() % (i + 1);
      net::post(strands[which], [&signal = *signals[which]] { signal.emit(net::cancellation_type::terminal); });
    }
  }
  threads.join();
  EXPECT_EQ(granted + aborted, many);
  EXPECT_EQ(other, 0) << "errors";
  EXPECT_GT(granted, 0);
}

net::awaitable<void> take_turns(recursive_mutex& of, int& inside, int& done) {
  for (int i = 0; i < 20; ++i) {
    grant held = co_await async_acquire(of, net::use_awaitable);
    EXPECT_EQ(++inside, 1);
    --inside;
    if (i % 2 == 0) {
      co_await async_release(std::move(held), net::use_awaitable);
    }
  }
  ++done;
}

TEST_F(with_asio, many_coroutines_take_turns_on_one_thread_and_none_is_needed_for_a_waiter) {
  const std::set<std::string> before = threads_of_this_process();
  int inside = 0, done = 0;
  for (int i = 0; i < 20; ++i) {
    net::co_spawn(io_, take_turns(lock_, inside, done), net::detached);
  }
  run();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(threads_since(before), 0U);
}

}  // namespace
}  // namespace zklock::test
