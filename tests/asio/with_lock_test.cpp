// Scopes of Asio's coroutines that a loss ends, on the fake ensemble. With ZKLOCK_STANDALONE_ASIO or not.
#include <gtest/gtest.h>

#include <zklock/asio.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(ZKLOCK_STANDALONE_ASIO)
#include <asio/any_io_executor.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#else
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#endif

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

template <class Result>
using awaitable = net::awaitable<Result>;
using strand_of_any = net::strand<net::any_io_executor>;

[[nodiscard]] net_error_code of_asio(errc code) { return net_error_code(make_error_code(code)); }
const net_error_code aborted = net::error::make_error_code(net::error::operation_aborted);

/// A child that goes on behind cancellations waits here.
class gate {
 public:
  awaitable<void> wait() {
    waited_at_ = true;
    net::steady_timer poll(co_await net::this_coro::executor);
    while (!open_) {
      poll.expires_after(1ms);
      co_await poll.async_wait(net::use_awaitable);
    }
  }
  [[nodiscard]] bool is_waited_at() const {
    return eventually([this] { return waited_at_.load(); });
  }
  void open() { open_ = true; }

 private:
  std::atomic<bool> waited_at_{false}, open_{false};
};

awaitable<void> wait_for_ever() {
  net::steady_timer never(co_await net::this_coro::executor, std::chrono::hours(24));
  co_await never.async_wait(net::use_awaitable);
}

/// Waits until it is cancelled, and then all the same until the gate is open.
awaitable<void> ignore_cancellation(gate& until) {
  try {
    co_await wait_for_ever();
  } catch (const net_system_error& why) {
    EXPECT_EQ(why.code(), aborted);
  }
  co_await net::this_coro::throw_if_cancelled(false);
  co_await net::this_coro::reset_cancellation_state(net::disable_cancellation());
  co_await until.wait();
}

/// Where a signal of a child's is emitted: the operation ends when it comes.
struct emission {
  std::atomic<int> on_the_strand{0}, elsewhere{0}, not_terminal{0};
};
awaitable<void> wait_for_emission(emission& seen) {
  const net::any_io_executor here = co_await net::this_coro::executor;
  const auto initiation = [&seen, here](auto&& handler) {
    auto slot = net::get_associated_cancellation_slot(handler);
    auto kept = std::make_shared<std::decay_t<decltype(handler)>>(std::move(handler));
    slot.assign([&seen, here, kept = std::move(kept)](net::cancellation_type kind) mutable {
      const auto* strand = here.target<strand_of_any>();
      ++(strand != nullptr && strand->running_in_this_thread() ? seen.on_the_strand : seen.elsewhere);
      seen.not_terminal += kind == net::cancellation_type::terminal ? 0 : 1;
      if (kept) {  // a loss and a cancellation of the caller may both come
        net::post(here, [last = std::exchange(kept, nullptr)] { std::move (*last)(aborted); });
      }
    });
  };
  co_await net::async_initiate<const net::use_awaitable_t<>, void(net_error_code)>(initiation, net::use_awaitable);
}

/// The lines that the library logs meanwhile.
class log_of_overruns {
 public:
  log_of_overruns() {
    set_log_sink([this](const log_line& line) {
      const std::lock_guard lock(mutex_);
      if (line.text.find("the work under it still runs") != std::string::npos) {
        lines_.push_back(line.text);
      }
    });
  }
  log_of_overruns(const log_of_overruns&) = delete;
  log_of_overruns& operator=(const log_of_overruns&) = delete;
  ~log_of_overruns() { set_log_sink({}); }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class with_lock_of_asio : public on_a_fake {
 protected:
  struct end {
    bool came = false;
    net_error_code ec{};
    std::string text{};  ///< of another exception
    std::size_t in_queue = 0;
  };
  /// Runs `scope()` as a coroutine that signal_ cancels; `what` is how it ends.
  template <class Scope>
  void spawn(Scope scope, end& what) {
    net::co_spawn(
        io_,
        [this, scope = std::move(scope), &what]() -> awaitable<void> {
          try {
            co_await scope();
          } catch (const net_system_error& why) {
            what.ec = why.code();
          } catch (const std::exception& why) {
            what.text = why.what();
          }
          what.in_queue = queue().size();
          what.came = true;
        },
        net::bind_cancellation_slot(signal_.slot(), net::detached));
  }
  void run() {
    io_.restart();
    io_.run_for(patience);
    EXPECT_TRUE(io_.stopped()) << "something keeps it waiting";
  }
  void cancel() {
    net::post(io_, [this] { signal_.emit(net::cancellation_type::terminal); });
  }

  net::cancellation_signal signal_;
  net::io_context io_;
  recursive_mutex lock_{one_, "/lock"};
  recursive_mutex a_{one_, "/a"};
};

// ---- results

TEST_F(with_lock_of_asio, gives_what_its_child_gives_under_the_lock_and_gives_back_before) {
  std::optional<int> got;
  std::unique_ptr<int> owned;
  bool done = false;
  end all;
  spawn(
      [&]() -> awaitable<void> {
        got = co_await with_lock(lock_, [&](const grant& held) -> awaitable<int> {
          EXPECT_TRUE(held.held());
          EXPECT_GT(held.token(), fencing_token{});
          EXPECT_EQ(queue().size(), 1U);
          co_await net::post(net::use_awaitable);
          co_return 7;
        });
        EXPECT_TRUE(queue().empty());
        auto child = [own = std::make_unique<int>(8)](const grant&) mutable -> awaitable<std::unique_ptr<int>> {
          co_return std::move(own);
        };  // has a name, for g++ 12
        owned = co_await with_lock(lock_, std::move(child));
        EXPECT_TRUE(queue().empty());
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          done = true;
          co_return;
        });
      },
      all);
  run();
  EXPECT_TRUE(all.came);
  EXPECT_EQ(got, 7);
  EXPECT_TRUE(owned && *owned == 8);
  EXPECT_TRUE(done);
  EXPECT_EQ(all.in_queue, 0U);
}

TEST_F(with_lock_of_asio, of_a_try_gives_whether_it_was_in_time_and_calls_nothing_if_not) {
  end all;
  bool called = false;
  const auto child = [&](const grant&) -> awaitable<int> {
    called = true;
    co_return 7;
  };
  const auto void_child = [&](const grant&) -> awaitable<void> {
    called = true;
    co_return;
  };
  spawn(
      [&]() -> awaitable<void> {
        grant held = co_await async_acquire(lock_, net::use_awaitable);
        const std::optional<int> late = co_await try_with_lock_for(lock_, 500ms, child);
        EXPECT_FALSE(late);
        const bool done_late = co_await try_with_lock_for(lock_, 0s, void_child);
        EXPECT_FALSE(done_late);
        EXPECT_FALSE(called);
        co_await async_release(std::move(held), net::use_awaitable);
        const std::optional<int> got = co_await try_with_lock_for(lock_, 30s, child);
        EXPECT_EQ(got, 7);
        EXPECT_TRUE(queue().empty());
        const bool done = co_await try_with_lock_for(lock_, 30s, void_child);
        EXPECT_TRUE(done);
        const std::optional<std::unique_ptr<int>> owned = co_await try_with_lock_for(
            lock_, 30s, [](const grant&) -> awaitable<std::unique_ptr<int>> { co_return std::make_unique<int>(8); });
        EXPECT_TRUE(owned && **owned == 8);
      },
      all);
  run();
  EXPECT_TRUE(all.came);
  EXPECT_EQ(all.text + all.ec.message(), net_error_code().message());
}

/// `work || async_lost(g)` would wait here for ever: the child has no success.
TEST_F(with_lock_of_asio, lets_an_exception_of_its_child_pass_and_has_given_back_before) {
  end later, at_once;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [](const grant&) -> awaitable<void> {
          co_await net::post(net::use_awaitable);
          throw std::runtime_error("of the child");
        });
      },
      later);
  run();
  EXPECT_TRUE(later.came);
  EXPECT_EQ(later.text, "of the child");
  EXPECT_EQ(later.in_queue, 0U);
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [](const grant&) -> awaitable<int> {
          throw std::runtime_error("of the call");
          co_return 1;
        });
      },
      at_once);
  run();
  EXPECT_EQ(at_once.text, "of the call");
  EXPECT_EQ(at_once.in_queue, 0U);
}

TEST_F(with_lock_of_asio, takes_every_kind_of_lock_and_any_token_of_co_spawn) {
  shared_mutex both(one_, "/b");
  multi_lock several{lock_, a_};
  net::thread_pool threads(2);
  const auto child = [](const grant& held) -> awaitable<bool> { co_return held.held(); };
  for (const lock_view& of : {lock_view(lock_), both.read(), lock_view(several), lock_.as(owner())}) {
    EXPECT_TRUE(net::co_spawn(threads, with_lock(of, child), net::use_future).get());
  }
  EXPECT_TRUE(queue_is(0));
  threads.join();
}

TEST_F(with_lock_of_asio, goes_on_where_its_caller_runs) {
  net::thread_pool threads(3);
  const auto strand = net::make_strand(threads);
  std::atomic<bool> child_here = false, caller_here = false;
  net::co_spawn(
      strand,
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          co_await net::post(net::use_awaitable);
          child_here = strand.running_in_this_thread();
        });
        caller_here = strand.running_in_this_thread();
      },
      net::detached);
  threads.join();
  EXPECT_TRUE(child_here) << "its own strand is on the caller's";
  EXPECT_TRUE(caller_here);
}

TEST_F(with_lock_of_asio, of_an_owner_that_has_the_lock_ends_though_the_hold_goes_on) {
  const owner job;
  const grant outer = lock_.as(job).acquire();
  end all;
  std::optional<int> got;
  spawn(
      [&]() -> awaitable<void> {
        got = co_await with_lock(lock_.as(job), [&](const grant& held) -> awaitable<int> {
          EXPECT_EQ(held.token(), outer.token());
          co_return 7;
        });
      },
      all);
  run();
  EXPECT_EQ(got, 7);
  EXPECT_TRUE(outer.held());
  EXPECT_EQ(all.in_queue, 1U);
}

TEST_F(with_lock_of_asio, fails_as_an_acquisition_does_and_calls_nothing) {
  one_.close();
  end all;
  bool called = false;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          called = true;
          co_return;
        });
      },
      all);
  run();
  EXPECT_EQ(all.ec, of_asio(errc::session_closed));
  EXPECT_FALSE(called);
}

/// Else it would be called on the calling thread, and run without the lock.
template <class Work>
concept taken = requires(const lock_view& of, Work work) {
  with_lock(of, work);
};
template <class Work>
concept tried = requires(const lock_view& of, Work work) {
  try_with_lock_for(of, 1s, work);
};
template <class Result, class... More>
using work = Result (*)(const grant&, More...);
static_assert(taken<work<awaitable<int>>> && tried<work<awaitable<int>>>);
static_assert(taken<work<int, std::stop_token>> && tried<work<int, std::stop_token>>);
static_assert(!taken<work<awaitable<int>, std::stop_token>> && !tried<work<awaitable<int>, std::stop_token>>);

// ---- losses

TEST_F(with_lock_of_asio, f126_is_lost_when_a_loss_has_cancelled_its_child) {
  end all;
  net_error_code child;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          zookeeper_.expire_sessions(0);
          try {
            co_await wait_for_ever();
          } catch (const net_system_error& why) {
            child = why.code();
            throw;
          }
        });
      },
      all);
  run();
  EXPECT_EQ(child, aborted);
  EXPECT_EQ(all.ec, of_asio(errc::lost)) << all.ec.message();
}

TEST_F(with_lock_of_asio, is_lost_by_the_close_of_its_session) {
  end all;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          one_.close();
          co_await wait_for_ever();
        });
      },
      all);
  run();
  EXPECT_EQ(all.ec, of_asio(errc::lost)) << all.ec.message();
}

TEST_F(with_lock_of_asio, is_lost_though_its_child_gives_something_and_passes_its_own_exception_on) {
  end gives, throws;
  spawn(
      [&]() -> awaitable<void> {
        const int got = co_await with_lock(lock_, [&](const grant& held) -> awaitable<int> {
          zookeeper_.expire_sessions(0);
          EXPECT_TRUE(eventually([&] { return !held.held(); }));
          co_return 7;
        });
        ADD_FAILURE() << got;
      },
      gives);
  run();
  EXPECT_EQ(gives.ec, of_asio(errc::lost));
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          zookeeper_.expire_sessions(0);
          bool cancelled = false;
          try {
            co_await wait_for_ever();
          } catch (const net_system_error&) {
            cancelled = true;
          }
          throw std::runtime_error(cancelled ? "of the child" : "not cancelled");
        });
      },
      throws);
  run();
  EXPECT_EQ(throws.text, "of the child");
}

TEST_F(with_lock_of_asio, ends_behind_a_loss_only_when_its_child_has_ended) {
  end all;
  gate until;
  bool child_ended = false, ended_before = false;
  spawn(
      [&]() -> awaitable<void> {
        try {
          co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
            zookeeper_.expire_sessions(0);
            co_await ignore_cancellation(until);
            child_ended = true;
          });
        } catch (const net_system_error&) {
          ended_before = child_ended;
          throw;
        }
      },
      all);
  auto runs = in_a_thread([&] { run(); });
  EXPECT_TRUE(until.is_waited_at());
  until.open();
  runs.wait();
  EXPECT_TRUE(child_ended && ended_before);
  EXPECT_EQ(all.ec, of_asio(errc::lost));
}

TEST_F(with_lock_of_asio, tells_a_child_that_has_gone_on_behind_a_cancellation_of_a_loss_as_well) {
  end all;
  std::atomic<bool> goes_on = false;
  int told = 0;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          for (const auto& before : {std::function<void()>([&] { cancel(); }),
                                     std::function<void()>([&] { zookeeper_.expire_sessions(0); })}) {
            before();
            try {
              co_await wait_for_ever();
            } catch (const net_system_error&) {
              ++told;
            }
            co_await net::this_coro::reset_cancellation_state();
          }
        });
      },
      all);
  run();
  EXPECT_EQ(told, 2);
  EXPECT_EQ(all.ec, of_asio(errc::lost));
}

// ---- cancellation

TEST_F(with_lock_of_asio, of_a_caller_that_is_cancelled_while_it_waits_calls_nothing_and_leaves_nothing) {
  grant held = lock_.acquire();
  end all;
  bool called = false;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          called = true;
          co_return;
        });
      },
      all);
  auto cancels = in_a_thread([&] {
    EXPECT_TRUE(queue_is(2));
    cancel();
  });
  run();
  EXPECT_EQ(all.ec, aborted);
  EXPECT_FALSE(called);
  EXPECT_TRUE(queue_is(1));
}

TEST_F(with_lock_of_asio, f126_hands_its_callers_cancellation_on_and_has_given_back_before_it_ends) {
  end all;
  net_error_code child;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(lock_, [&](const grant&) -> awaitable<void> {
          cancel();
          try {
            co_await wait_for_ever();
          } catch (const net_system_error& why) {
            child = why.code();
            throw;
          }
        });
      },
      all);
  run();
  EXPECT_EQ(child, aborted);
  EXPECT_EQ(all.ec, aborted);
  EXPECT_EQ(all.in_queue, 0U);
}

TEST_F(with_lock_of_asio, gives_back_only_when_a_child_that_goes_on_behind_a_cancellation_has_ended) {
  end all;
  gate until;
  spawn(
      [&]() -> awaitable<void> {
        const int got = co_await with_lock(lock_, [&](const grant& held) -> awaitable<int> {
          cancel();
          co_await ignore_cancellation(until);
          EXPECT_TRUE(held.held());
          EXPECT_EQ(queue().size(), 2U) << "the other still waits";
          co_return 7;
        });
        EXPECT_EQ(got, 7) << "what it gives counts all the same";
      },
      all);
  auto runs = in_a_thread([&] { run(); });
  EXPECT_TRUE(until.is_waited_at());
  recursive_mutex there(two_, "/lock");
  EXPECT_FALSE(there.try_acquire_for(briefly));
  EXPECT_TRUE(queue_is(1));
  auto other = in_a_thread([&] { return there.acquire(); });
  EXPECT_TRUE(queue_is(2));
  until.open();
  EXPECT_TRUE(other.get().held());
  runs.wait();
  EXPECT_TRUE(all.came);
  EXPECT_FALSE(all.ec);
}

TEST_F(with_lock_of_asio, logs_once_a_session_timeout_that_its_child_runs_on) {
  const log_of_overruns log;
  session short_one(zookeeper_.clients(2), {.timeout = 1s});
  recursive_mutex of(short_one, "/a");
  end all;
  gate until;
  spawn(
      [&]() -> awaitable<void> {
        co_await with_lock(of, [&](const grant&) -> awaitable<void> {
          cancel();
          co_await ignore_cancellation(until);
        });
      },
      all);
  auto runs = in_a_thread([&] { run(); });
  EXPECT_TRUE(eventually([&] { return log.lines().size() >= 2; }));
  EXPECT_EQ(log.lines().at(0),
            "/a is to be given back, and the work under it still runs: nobody else gets it until then");
  const std::size_t before = log.lines().size();
  zookeeper_.expire_sessions(2);
  EXPECT_TRUE(eventually([&] { return log.lines().size() > before; }));
  EXPECT_TRUE(eventually([&] {
    return log.lines().back() == "/a was lost, and the work under it still runs: others may hold it meanwhile";
  }));
  until.open();
  runs.wait();
  const std::size_t at_end = log.lines().size();
  EXPECT_FALSE(eventually([&] { return log.lines().size() > at_end + 1; }, 2500ms));
}

// ---- the release

TEST_F(with_lock_of_asio, gives_what_its_child_gives_though_no_server_confirms_the_release) {
  session short_one(zookeeper_.clients(2), {.timeout = 2s});
  recursive_mutex of(short_one, "/a");
  end all;
  std::optional<int> got;
  spawn(
      [&]() -> awaitable<void> {
        got = co_await with_lock(of, [&](const grant& held) -> awaitable<int> {
          zookeeper_.hold(2);
          EXPECT_TRUE(held.held());
          co_return 7;
        });
      },
      all);
  run();
  EXPECT_EQ(got, 7) << all.ec.message();
  zookeeper_.restore(2);
}

// ---- contexts that go

/// Says when its frame goes whether the grant was held still.
struct frame_of_child {
  frame_of_child(const grant& of, bool& seen) : held(&of), held_at_end(&seen) {}
  frame_of_child(const frame_of_child&) = delete;
  frame_of_child& operator=(const frame_of_child&) = delete;
  ~frame_of_child() { *held_at_end = held->held(); }
  const grant* held;
  bool* held_at_end;
};

TEST_F(with_lock_of_asio, destroys_the_childs_frame_before_it_gives_back_where_its_context_goes) {
  const auto alive = std::make_shared<int>(1);
  bool held_at_end = false, came = false;
  {
    net::io_context gone;
    net::co_spawn(
        gone,
        [&, alive]() -> awaitable<void> {
          auto child = [&, alive](const grant& held) -> awaitable<void> {
            const frame_of_child frame(held, held_at_end);
            came = true;
            co_await wait_for_ever();
          };
          co_await with_lock(lock_, std::move(child));
        },
        net::detached);
    EXPECT_TRUE(eventually([&] {
      gone.poll();
      return came;
    }));
    EXPECT_TRUE(queue_is(1));
  }
  EXPECT_TRUE(held_at_end);
  EXPECT_TRUE(queue_is(0));
  EXPECT_EQ(alive.use_count(), 1) << "nothing is left of the coroutines";
}

TEST_F(with_lock_of_asio, leaves_nothing_at_whichever_step_its_context_goes) {
  const auto alive = std::make_shared<int>(1);
  for (int steps = 0; steps < 60; ++steps) {
    auto gone = std::make_unique<net::io_context>();
    net::co_spawn(
        *gone,
        [&, alive]() -> awaitable<void> {
          auto child = [alive](const grant&) -> awaitable<void> {
            co_await net::post(net::use_awaitable);
            co_await net::post(net::use_awaitable);
          };
          co_await with_lock(lock_, std::move(child));
        },
        net::detached);
    for (int i = 0; i < steps && gone->run_one_for(steps % 2 == 0 ? 20ms : 0ms) > 0; ++i) {}
    gone.reset();
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_TRUE(queue_is(0));
  }
}

// ---- many

/// Callers on strands of a pool, each with its signal.
class callers {
 public:
  callers(net::thread_pool& on, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      all_.push_back(std::make_unique<one>(net::make_strand(on.get_executor())));
    }
  }
  template <class Scope>
  void spawn(std::size_t which, Scope scope) {
    one& of = *all_[which];
    net::post(of.strand, [&of, scope = std::move(scope)]() mutable {
      net::co_spawn(of.strand, std::move(scope), net::bind_cancellation_slot(of.signal.slot(), net::detached));
    });
  }
  void cancel(std::size_t which) {
    one& of = *all_[which];
    net::post(of.strand, [&of] { of.signal.emit(net::cancellation_type::terminal); });
  }

 private:
  struct one {
    explicit one(net::strand<net::thread_pool::executor_type> on) : strand(std::move(on)) {}
    net::strand<net::thread_pool::executor_type> strand;
    net::cancellation_signal signal{};
  };
  std::vector<std::unique_ptr<one>> all_;
};

TEST_F(with_lock_of_asio, f126_children_are_cancelled_in_their_strands_though_losses_and_callers_meet) {
  constexpr std::size_t many = 100;
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  for (std::size_t i = 0; i < many; ++i) {
    locks.push_back(std::make_unique<recursive_mutex>(one_, "/each/" + std::to_string(i)));
  }
  emission seen;
  std::atomic<std::size_t> inside = 0, ended = 0, lost = 0;
  net::thread_pool threads(3);
  callers all(threads, many);
  for (std::size_t i = 0; i < many; ++i) {
    all.spawn(i, [&, i]() -> awaitable<void> {
      try {
        co_await with_lock(*locks[i], [&](const grant&) -> awaitable<void> {
          ++inside;
          co_await wait_for_emission(seen);
        });
      } catch (const net_system_error& why) {
        ++(why.code() == of_asio(errc::lost) ? lost : ended);
      }
    });
  }
  EXPECT_TRUE(eventually([&] { return inside == many; }));
  zookeeper_.expire_sessions(0);
  for (std::size_t i = 0; i < many; ++i) {
    all.cancel(i);
  }
  threads.join();
  EXPECT_EQ(lost + ended, many);
  EXPECT_GE(static_cast<std::size_t>(seen.on_the_strand), many);
  EXPECT_EQ(seen.elsewhere, 0);
  EXPECT_EQ(seen.not_terminal, 0);
}

TEST_F(with_lock_of_asio, f126_a_thousand_keep_apart_and_leave_nothing_though_many_are_cancelled) {
  constexpr std::size_t many = 1'000;
  const std::array<std::string, 3> paths{"/lock", "/a", "/b"};
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  for (const std::string& path : paths) {
    locks.push_back(std::make_unique<recursive_mutex>(one_, path));
    locks.push_back(std::make_unique<recursive_mutex>(two_, path));
  }
  std::array<std::atomic<int>, 3> inside{};
  std::atomic<std::size_t> done = 0, cancelled = 0, other = 0, together = 0;
  net::thread_pool threads(3);
  callers all(threads, many);
  std::mt19937 lot(7);
  const auto scope = [&](recursive_mutex& of, std::atomic<int>& here, std::size_t rest) -> awaitable<void> {
    try {
      co_await with_lock(of, [&here, &together, rest](const grant&) -> awaitable<void> {
        struct stay {
          stay(std::atomic<int>& in, std::atomic<std::size_t>& of) : where(in) { of += ++where == 1 ? 0 : 1; }
          stay(const stay&) = delete;
          stay& operator=(const stay&) = delete;
          ~stay() { --where; }
          std::atomic<int>& where;
        };
        const stay in(here, together);
        net::steady_timer timer(co_await net::this_coro::executor, std::chrono::microseconds(rest));
        co_await timer.async_wait(net::use_awaitable);
      });
      ++done;
    } catch (const net_system_error& why) {
      ++(why.code() == aborted ? cancelled : other);
    }
  };
  for (std::size_t i = 0; i < many; ++i) {
    const std::size_t which = lot() % locks.size();
    const auto rest = lot() % 300;
    all.spawn(i, [&, which, rest]() { return scope(*locks[which], inside.at(which / 2), rest); });
    if (lot() % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(lot() % 300));
      all.cancel(lot() % (i + 1));
    }
  }
  threads.join();
  EXPECT_EQ(done + cancelled, many);
  EXPECT_EQ(other, 0U);
  EXPECT_EQ(together, 0U);
  EXPECT_GT(done, 0U);
  EXPECT_GT(cancelled, 0U);
}

}  // namespace
}  // namespace zklock::test
