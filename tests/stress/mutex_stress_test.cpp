// Many threads on locks, without faults of the servers: what a lock protects comes out exact, and nothing is left.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/stress/server_for_stress.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

constexpr int threads = 6;

/// Runs it in several threads, and waits for all.
template <class What>
void in_threads(int count, What what) {
  std::vector<std::future<void>> running;
  for (int number = 0; number < count; ++number) {
    running.push_back(std::async(std::launch::async, [&what, number] { what(number); }));
  }
  for (auto& one : running) {
    one.get();
  }
}

class many_threads : public under_stress {};
INSTANTIATE_TEST_SUITE_P(, many_threads, both_servers, name_of);

TEST_P(many_threads, f39_on_one_object_count_exactly) {
  start(1);
  const auto one = server_->open(0);
  recursive_mutex lock(*one, "/lock");
  int protected_count = 0;
  std::int64_t last_token = 0;
  in_threads(threads, [&](int) {
    for (int round = 0; round < 30; ++round) {
      const std::scoped_lock guard(lock);
      ++protected_count;
      EXPECT_GT(lock.token().czxid, last_token);
      last_token = lock.token().czxid;
      const std::scoped_lock again(lock);
      EXPECT_EQ(lock.token().czxid, last_token);
    }
  });
  EXPECT_EQ(protected_count, threads * 30);
  expect_nothing_left("/lock");
}

TEST_P(many_threads, with_an_object_each_in_few_sessions_count_exactly) {
  start(2);
  const auto one = server_->open(0);
  const auto other = server_->open(1);
  int protected_count = 0;
  in_threads(threads, [&](int number) {
    recursive_mutex lock(number % 2 == 0 ? *one : *other, "/lock");
    for (int round = 0; round < 20; ++round) {
      grant held = lock.acquire();
      ++protected_count;
      if (round % 2 == 0) {
        held.release();
      }
    }
  });
  EXPECT_EQ(protected_count, threads * 20);
  expect_nothing_left("/lock");
}

TEST_P(many_threads, that_try_give_up_and_stop_leave_nothing) {
  start(1);
  const auto one = server_->open(0);
  recursive_mutex lock(*one, "/lock");
  std::atomic<int> inside = 0;
  in_threads(threads, [&](int number) {
    for (int round = 0; round < 15; ++round) {
      std::error_code ec;
      std::stop_source stop;
      std::jthread stopper;
      grant held;
      switch ((number + round) % 3) {
        case 0: held = lock.try_acquire(ec); break;
        case 1: held = lock.try_acquire_for(1ms, ec); break;
        default: stopper = std::jthread([&stop] { stop.request_stop(); }); held = lock.acquire(stop.get_token(), ec);
      }
      EXPECT_TRUE(!ec || ec == errc::abandoned || ec == errc::not_connected) << ec.message();
      if (held) {
        EXPECT_EQ(++inside, 1);
        --inside;
      }
    }
  });
  expect_nothing_left("/lock");
}

TEST_P(many_threads, f44_that_release_each_others_grants_count_exactly) {
  start(1);
  const auto one = server_->open(0);
  recursive_mutex lock(*one, "/lock");
  int protected_count = 0;
  in_threads(threads, [&](int) {
    for (int round = 0; round < 15; ++round) {
      grant held = lock.acquire();
      ++protected_count;
      std::thread([moved = std::move(held)]() mutable {
        std::error_code ec;
        moved.release(ec);
        EXPECT_FALSE(ec) << ec.message();
      }).join();
    }
  });
  EXPECT_EQ(protected_count, threads * 15);
  expect_nothing_left("/lock");
}

TEST_P(many_threads, f38_f80_that_wait_are_let_go_when_their_lock_is_destroyed) {
  start(2);
  const auto one = server_->open(0);
  const auto other = server_->open(1);
  recursive_mutex holder(*one, "/lock");
  for (int round = 0; round < 8; ++round) {
    std::optional<grant> held = holder.acquire();
    auto lock = std::make_unique<recursive_mutex>(*other, "/lock");
    std::vector<std::future<std::error_code>> waiting;
    for (int number = 0; number < 3; ++number) {
      waiting.push_back(std::async(std::launch::async, [raw = lock.get()] {
        std::error_code ec;
        const grant mine = raw->acquire(ec);
        return ec;
      }));
    }
    EXPECT_TRUE(eventually([&] { return server_->contenders("/lock").size() == 4; }))
        << "all three are inside the call";
    std::thread leaves([&held, round] {
      if (round % 2 == 0) {
        held.reset();  // the predecessor goes while the waiter is destroyed
      }
    });
    lock.reset();
    leaves.join();
    for (auto& one_of_them : waiting) {
      const std::error_code ec = one_of_them.get();
      EXPECT_TRUE(!ec || ec == errc::abandoned) << ec.message();
    }
  }
  expect_nothing_left("/lock");
}

TEST_P(many_threads, f26_f76_that_close_their_session_at_once_are_all_answered) {
  for (int round = 0; round < 6; ++round) {
    start(1);
    auto one = server_->open(0);
    recursive_mutex lock(*one, "/lock");
    std::atomic<int> answered = 0;
    {
      std::vector<std::jthread> running;
      for (int number = 0; number < threads; ++number) {
        running.emplace_back([&] {
          std::error_code ec;
          for (grant held = lock.acquire(ec); held; held = lock.acquire(ec)) {
            held.release(ec);
          }
          EXPECT_EQ(ec, errc::session_closed) << ec.message();
          ++answered;
        });
      }
      while (!one->wait_connected_for(1s)) {}
      std::jthread first([&one] { one->close(); });
      one->close();
    }
    EXPECT_EQ(answered, threads);
    EXPECT_EQ(one->state(), session_state::closed);
    one.reset();
    expect_nothing_left("/lock");
  }
}

}  // namespace
}  // namespace zklock::test
