// Calls without a thread: handlers, executors, coroutines.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zklock/async.hpp>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/unit/api/event_loop.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// What a handler was told, and where.
struct answer {
  std::error_code ec;
  grant taken;
  std::thread::id on;
  int times = 0;
};

class heard {
 public:
  auto handler() {
    return [this](std::error_code ec, grant taken) {
      const std::lock_guard lock(mutex_);
      got_.ec = ec;
      got_.taken = std::move(taken);
      got_.on = std::this_thread::get_id();
      ++got_.times;
      changed_.notify_all();
    };
  }
  auto of_release() {
    return [handler = handler()](std::error_code ec) mutable { handler(ec, {}); };
  }
  /// Waits for it.
  answer get() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, patience, [this] { return got_.times > 0; }));
    answer now = std::move(got_);
    got_ = {};
    return now;
  }
  [[nodiscard]] int times() const {
    const std::lock_guard lock(mutex_);
    return got_.times;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  answer got_;
};

class asynchronous : public on_a_fake {
 protected:
  recursive_mutex lock_{one_, "/lock"};
  heard first_;
  heard second_;
};

// ---- acquire

TEST_F(asynchronous, a_free_lock_is_granted_off_the_thread_that_asks) {
  start_acquire(lock_, {}, first_.handler());
  answer got = first_.get();
  EXPECT_FALSE(got.ec);
  EXPECT_TRUE(got.taken.held());
  EXPECT_NE(got.on, std::this_thread::get_id());
  expect_released(got.taken);
}

TEST_F(asynchronous, handlers_are_called_on_one_thread_one_at_a_time) {
  start_acquire(lock_, {}, first_.handler());
  answer got = first_.get();
  start_acquire(lock_, {std::chrono::nanoseconds(0)}, second_.handler());
  EXPECT_EQ(second_.get().on, got.on);
}

TEST_F(asynchronous, what_is_not_granted_in_time_is_an_empty_grant_and_no_error) {
  const grant held = lock_.acquire();
  for (const std::chrono::nanoseconds within : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(50ms)}) {
    start_acquire(lock_, {within}, first_.handler());
    const answer got = first_.get();
    EXPECT_FALSE(got.ec);
    EXPECT_FALSE(got.taken);
  }
}

TEST_F(asynchronous, a_stop_and_the_end_of_the_lock_or_the_session_end_a_wait) {
  recursive_mutex there(two_, "/lock");
  const grant held = there.acquire();
  std::stop_source stop;
  start_acquire(lock_, {std::nullopt, stop.get_token()}, first_.handler());
  ASSERT_TRUE(queue_is(2));
  EXPECT_EQ(first_.times(), 0);
  stop.request_stop();
  EXPECT_EQ(first_.get().ec, errc::abandoned);
  start_acquire(lock_, {std::nullopt, stop.get_token()}, first_.handler());
  EXPECT_EQ(first_.get().ec, errc::abandoned) << "stopped before";
  {
    recursive_mutex gone(one_, "/lock");
    start_acquire(gone, {}, first_.handler());
    ASSERT_TRUE(queue_is(2));
  }
  EXPECT_EQ(first_.get().ec, errc::abandoned);
  start_acquire(lock_, {}, first_.handler());
  ASSERT_TRUE(queue_is(2));
  one_.close();
  EXPECT_EQ(first_.times(), 1) << "close() waits for it";
  EXPECT_EQ(first_.get().ec, errc::session_closed);
}

TEST_F(asynchronous, a_call_behind_close_is_told_so_once_off_the_thread_that_asks) {
  start_acquire(lock_, {}, first_.handler());
  answer held = first_.get();
  one_.close();
  for (int i = 0; i < 20; ++i) {
    start_acquire(lock_, {}, first_.handler());
    const answer got = first_.get();
    EXPECT_EQ(got.ec, errc::session_closed);
    EXPECT_NE(got.on, std::this_thread::get_id());
    EXPECT_EQ(got.times, 1);
  }
  start_release(std::move(held.taken), first_.of_release());
  EXPECT_EQ(first_.get().ec, errc::lost);
}

TEST_F(asynchronous, an_owner_is_said_and_no_thread_is_one) {
  const owner job;
  start_acquire(lock_.as(job), {}, first_.handler());
  answer once = first_.get();
  ASSERT_TRUE(once.taken);
  start_acquire(lock_.as(job), {}, second_.handler());
  answer twice = second_.get();
  EXPECT_TRUE(twice.taken) << "re-entered";
  EXPECT_EQ(twice.taken.token(), once.taken.token());
  start_acquire(lock_, {std::chrono::nanoseconds(0)}, first_.handler());
  EXPECT_FALSE(first_.get().taken) << "without an owner there is no re-entry";
  once.taken = {};
  twice.taken = {};
  lock_.lock();
  start_acquire(lock_, {std::chrono::nanoseconds(0)}, first_.handler());
  const answer got = first_.get();
  EXPECT_FALSE(got.ec) << "not refused because of what its thread has locked";
  EXPECT_FALSE(got.taken);
  lock_.unlock();
}

TEST_F(asynchronous, a_second_call_of_an_owner_waits_for_the_first_and_has_one_contender) {
  recursive_mutex there(two_, "/lock");
  grant held = there.acquire();
  const owner job;
  start_acquire(lock_.as(job), {}, first_.handler());
  ASSERT_TRUE(queue_is(2));
  start_acquire(lock_.as(job), {}, second_.handler());
  heard third;
  start_acquire(lock_.as(job), {std::chrono::nanoseconds(briefly)}, third.handler());
  EXPECT_FALSE(third.get().taken) << "not in time";
  EXPECT_TRUE(queue_is(2));
  held.release();
  answer got = first_.get();
  answer again = second_.get();
  EXPECT_TRUE(got.taken.held());
  EXPECT_EQ(again.taken.token(), got.taken.token());
}

TEST_F(asynchronous, a_stop_ends_the_wait_for_an_owners_earlier_call) {
  recursive_mutex there(two_, "/lock");
  grant held = there.acquire();
  const owner job;
  std::stop_source stop;
  start_acquire(lock_.as(job), {}, first_.handler());
  ASSERT_TRUE(queue_is(2));
  start_acquire(lock_.as(job), {std::nullopt, stop.get_token()}, second_.handler());
  EXPECT_EQ(second_.times(), 0);
  stop.request_stop();
  EXPECT_EQ(second_.get().ec, errc::abandoned);
  held.release();
  EXPECT_TRUE(first_.get().taken);
}

TEST_F(asynchronous, each_kind_of_lock_has_a_view) {
  shared_mutex both(one_, "/a");
  semaphore pool(one_, "/b", 3);
  semaphore_mutex plain(one_, "/c");
  start_acquire(both, {}, first_.handler());
  answer writes = first_.get();
  start_acquire(both.read(), {std::chrono::nanoseconds(0)}, second_.handler());
  EXPECT_FALSE(second_.get().taken) << "it writes";
  expect_released(writes.taken);
  start_acquire(pool.permits(3), {}, first_.handler());
  answer all = first_.get();
  EXPECT_TRUE(all.taken.held());
  start_acquire(pool, {std::chrono::nanoseconds(0)}, second_.handler());
  EXPECT_FALSE(second_.get().taken) << "one permit";
  expect_released(all.taken);
  multi_lock several{lock_, both.read(), plain};
  start_acquire(several, {}, first_.handler());
  EXPECT_TRUE(first_.get().taken.held());
  expect_thrown(errc::invalid_parts, "/lock, /a, /c", [&] { return multi_lock{several}.held(); });
}

TEST_F(asynchronous, many_calls_in_flight_are_all_told_once_when_the_lock_goes) {
  recursive_mutex there(two_, "/lock");
  grant held = there.acquire();
  constexpr int many = 1'000;
  std::atomic<int> told = 0, abandoned = 0;
  {
    recursive_mutex gone(one_, "/lock");
    for (int i = 0; i < many; ++i) {
      start_acquire(gone, {}, [&](std::error_code ec, const grant&) {
        abandoned += ec == errc::abandoned ? 1 : 0;
        ++told;
      });
    }
  }
  EXPECT_TRUE(eventually([&] { return told == many; }));
  EXPECT_EQ(abandoned, many);
}

TEST_F(asynchronous, the_last_grant_a_session_and_its_lock_may_go_in_a_handler) {
  auto session_of_its_own = std::make_unique<session>(zookeeper_.clients(0), session_options{.timeout = 60s});
  auto lock = std::make_unique<recursive_mutex>(*session_of_its_own, "/lock");
  std::promise<void> done;
  start_acquire(*lock, {}, [&](std::error_code ec, grant taken) {
    EXPECT_FALSE(ec);
    lock.reset();
    session_of_its_own.reset();
    EXPECT_FALSE(taken.held());
    taken = {};
    done.set_value();
  });
  EXPECT_EQ(done.get_future().wait_for(patience), std::future_status::ready);
}

TEST_F(asynchronous, a_handler_that_throws_costs_no_other_its_turn) {
  start_acquire(lock_, {}, [](std::error_code, const grant&) { throw std::runtime_error("planned"); });
  start_acquire(lock_, {}, first_.handler());
  EXPECT_TRUE(first_.get().taken) << "and gave its grant back";
}

TEST_F(asynchronous, a_handler_may_be_movable_alone) {
  auto owned = std::make_unique<int>(7);
  std::promise<int> seen;
  start_acquire(lock_, {},
                [owned = std::move(owned), &seen](std::error_code, const grant&) { seen.set_value(*owned); });
  EXPECT_EQ(seen.get_future().get(), 7);
}

TEST_F(asynchronous, a_fork_s_child_is_refused_at_once) {
  grant held = lock_.acquire();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool refused = thrown_by([&] {
                           start_acquire(lock_, {}, [](std::error_code, const grant&) {});
                           return 0;
                         }).ec == errc::forked &&
                         thrown_by([&] {
                           start_release(std::move(held), [](std::error_code) {});
                           return 0;
                         }).ec == errc::forked;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(held.held());
}

// ---- release

TEST_F(asynchronous, a_release_is_confirmed_and_an_empty_grant_refused) {
  grant held = lock_.acquire();
  start_release(std::move(held), first_.of_release());
  EXPECT_FALSE(first_.get().ec);
  EXPECT_TRUE(queue().empty());
  expect_thrown(errc::not_owner, "", [&] {
    start_release(grant(), first_.of_release());
    return 0;
  });
  const owner job;
  grant once = lock_.as(job).acquire(), twice = lock_.as(job).acquire();
  start_release(std::move(twice), first_.of_release());
  EXPECT_FALSE(first_.get().ec) << "one count less";
  EXPECT_TRUE(once.held());
}

TEST_F(asynchronous, a_release_of_what_is_lost_says_so) {
  grant held = lock_.acquire();
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  start_release(std::move(held), first_.of_release());
  EXPECT_EQ(first_.get().ec, errc::lost);
}

// ---- the end of a hold

class ended {
 public:
  auto handler() {
    return [this](std::error_code ec, loss_reason why) {
      ec_ = ec;
      why_ = why;
      ++times_;
    };
  }
  [[nodiscard]] bool is(std::error_code ec, loss_reason why) const {
    return eventually([&] { return times_ == 1; }) && ec_ == ec && why_ == why;
  }
  [[nodiscard]] int times() const { return times_; }

 private:
  std::error_code ec_;
  loss_reason why_ = loss_reason::none;
  std::atomic<int> times_ = 0;
};

TEST_F(asynchronous, a_wait_for_the_loss_of_a_grant_ends_when_it_is_given_back) {
  const owner job;
  grant once = lock_.as(job).acquire(), twice = lock_.as(job).acquire();
  ended first, second;
  start_lost(once, {}, first.handler());
  start_lost(twice, {}, second.handler());
  once.release();
  EXPECT_EQ(first.times(), 0) << "still held";
  twice = {};
  EXPECT_TRUE(first.is({}, loss_reason::none));
  EXPECT_TRUE(second.is({}, loss_reason::none));
  expect_thrown(errc::not_owner, "", [&] {
    start_lost(once, {}, first.handler());
    return 0;
  });
}

TEST_F(asynchronous, a_wait_for_a_loss_is_told_why_once_and_also_behind_it) {
  grant held = lock_.acquire();
  ended first, late;
  start_lost(held, {}, first.handler());
  zookeeper_.expire_sessions(0);
  EXPECT_TRUE(first.is({}, loss_reason::session_expired));
  start_lost(held, {}, late.handler());
  EXPECT_TRUE(late.is({}, loss_reason::session_expired));
  held = {};
  const grant other = lock_.acquire();
  ended of_close;
  start_lost(other, {}, of_close.handler());
  one_.close();
  EXPECT_TRUE(of_close.is({}, loss_reason::session_closed));
}

TEST_F(asynchronous, a_stop_ends_a_wait_for_a_loss_and_the_hold_goes_on) {
  grant held = lock_.acquire();
  for (const bool before : {false, true}) {
    std::stop_source stop;
    ended told;
    if (before) {
      stop.request_stop();
    }
    start_lost(held, stop.get_token(), told.handler());
    stop.request_stop();
    EXPECT_TRUE(told.is(make_error_code(errc::abandoned), loss_reason::none));
  }
  EXPECT_TRUE(held.held());
}

TEST_F(asynchronous, of_a_stop_and_an_end_at_once_one_is_told) {
  for (int i = 0; i < 200; ++i) {
    grant held = lock_.acquire();
    ended told;
    std::stop_source stop;
    start_lost(held, stop.get_token(), told.handler());
    auto stops = in_a_thread([&] { stop.request_stop(); });
    held.release();
    stops.get();
    EXPECT_TRUE(eventually([&] { return told.times() == 1; }));
  }
}

// ---- where a handler runs

TEST_F(asynchronous, by_on_a_handler_runs_where_post_has_it_run) {
  loop here;
  start_acquire(lock_, {}, on(here.post()), first_.handler());
  EXPECT_TRUE(eventually([&] { return here.waiting() == 1; }));
  EXPECT_EQ(first_.times(), 0);
  here.run_what_is_there();
  answer got = first_.get();
  EXPECT_EQ(got.on, std::this_thread::get_id());
  start_release(std::move(got.taken), on(here.post()), first_.of_release());
  EXPECT_TRUE(here.run_until([&] { return first_.times() == 1; }));
}

TEST_F(asynchronous, a_handler_that_its_executor_drops_gives_the_grant_back) {
  loop here;
  start_acquire(lock_, {}, on(here.post()), first_.handler());
  EXPECT_TRUE(eventually([&] { return here.waiting() == 1; }));
  EXPECT_TRUE(queue_is(1));
  here.drop_all();
  EXPECT_TRUE(queue_is(0));
  EXPECT_EQ(first_.times(), 0);
}

TEST_F(asynchronous, a_handler_that_was_called_leaves_nothing_in_a_copy_that_its_executor_keeps) {
  loop here;
  std::function<void()> kept;
  const auto keeps = [&here, &kept](const std::function<void()>& what) {
    kept = what;
    here.post()(what);
  };
  const auto captured = std::make_shared<int>(1);
  bool called = false;
  start_acquire(lock_, {}, on(keeps), [captured, &called](std::error_code, const grant&) { called = true; });
  EXPECT_TRUE(here.run_until([&] { return called; }));
  EXPECT_EQ(captured.use_count(), 1);
}

// ---- coroutines

detached take_and_give_back(loop& here, recursive_mutex& lock, std::thread::id& on_thread, int& inside, int& done) {
  const auto at = on(here.post());
  grant held = co_await at.acquire(lock);
  EXPECT_EQ(++inside, 1);
  on_thread = std::this_thread::get_id();
  --inside;
  co_await at.release(std::move(held));
  ++done;
}

TEST_F(asynchronous, many_coroutines_take_turns_on_one_thread) {
  loop here;
  int inside = 0, done = 0;
  std::thread::id on_thread;
  for (int i = 0; i < 50; ++i) {
    take_and_give_back(here, lock_, on_thread, inside, done);
  }
  EXPECT_TRUE(here.run_until([&] { return done == 50; }));
  EXPECT_EQ(on_thread, std::this_thread::get_id());
}

detached try_it(loop& here, recursive_mutex& lock, acquire_options how, std::optional<std::error_code>& told,
                bool& got) {
  try {
    const grant held = co_await on(here.post()).acquire(lock, std::move(how));
    got = static_cast<bool>(held);
    told = std::error_code();
  } catch (const error& why) {
    EXPECT_EQ(why.path(), "/lock");
    told = why.code();
  }
}

TEST_F(asynchronous, a_coroutine_that_is_too_late_gets_an_empty_grant_and_one_that_fails_an_exception) {
  loop here;
  const grant held = lock_.acquire();
  std::optional<std::error_code> told;
  bool got = true;
  try_it(here, lock_, {std::chrono::nanoseconds(0)}, told, got);
  EXPECT_TRUE(here.run_until([&] { return told.has_value(); }));
  EXPECT_FALSE(*told);
  EXPECT_FALSE(got);
  std::stop_source stop;
  told.reset();
  try_it(here, lock_, {std::nullopt, stop.get_token()}, told, got);
  stop.request_stop();
  EXPECT_TRUE(here.run_until([&] { return told.has_value(); }));
  EXPECT_EQ(*told, errc::abandoned);
}

detached await_twice(loop& here, recursive_mutex& lock, bool& refused) {
  auto call = on(here.post()).acquire(lock);
  { const grant held = co_await call; }
  try {
    const grant again = co_await call;
  } catch (const std::logic_error&) {
    refused = true;
  }
}

TEST_F(asynchronous, a_call_that_is_awaited_twice_is_refused) {
  loop here;
  bool refused = false;
  await_twice(here, lock_, refused);
  EXPECT_TRUE(here.run_until([&] { return refused; }));
  EXPECT_TRUE(queue_is(0));
}

owned wait_for_it(loop& here, recursive_mutex& lock, bool& resumed) {
  const grant held = co_await on(here.post()).acquire(lock);
  resumed = true;
}

TEST_F(asynchronous, a_coroutine_that_is_destroyed_while_it_waits_abandons) {
  loop here;
  bool resumed = false;
  {
    const grant held = lock_.acquire();
    const owned waits = wait_for_it(here, lock_, resumed);
    ASSERT_TRUE(queue_is(2));
    waits.handle.destroy();
    EXPECT_TRUE(queue_is(1));
  }
  const owned granted = wait_for_it(here, lock_, resumed);
  EXPECT_TRUE(eventually([&] { return here.waiting() == 2; })) << "an answer of each";
  granted.handle.destroy();
  here.run_what_is_there();
  EXPECT_FALSE(resumed);
  EXPECT_TRUE(queue_is(0));
}

owned wait_with_words(loop& here, recursive_mutex& lock) {
  std::optional<error> words;
  const grant held = co_await on(here.post()).acquire(lock, {.failed = &words});
}

TEST_F(asynchronous, a_coroutine_that_is_destroyed_is_told_no_words) {
  loop here;
  const grant held = lock_.acquire();
  const owned waits = wait_with_words(here, lock_);
  ASSERT_TRUE(queue_is(2));
  waits.handle.destroy();
  EXPECT_TRUE(queue_is(1));
  EXPECT_TRUE(eventually([&] { return here.waiting() == 1; })) << "the loop may go when the answer is there";
  here.run_what_is_there();
}

TEST_F(asynchronous, a_post_that_throws_gives_the_grant_back) {
  std::atomic<int> thrown = 0;
  const auto broken = on([&thrown](const std::function<void()>&) {
    ++thrown;
    throw std::runtime_error("planned");
  });
  bool resumed = false;
  const auto wait = [](const auto& at, recursive_mutex& lock, bool& done) -> owned {
    const grant held = co_await at.acquire(lock);
    done = true;
  };
  const owned waits = wait(broken, lock_, resumed);
  start_acquire(lock_, {}, broken, first_.handler());
  EXPECT_TRUE(eventually([&] { return thrown == 2; }));
  EXPECT_TRUE(queue_is(0));
  EXPECT_FALSE(resumed);
  waits.handle.destroy();
}

}  // namespace
}  // namespace zklock::test
