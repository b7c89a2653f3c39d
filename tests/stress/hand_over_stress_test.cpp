// Many threads that take turns with one lock object a session: on both kinds of server, with and without losses.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/stress/server_for_stress.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

/// Three threads of each of two sessions; a lock object a session.
class many_turns : public under_stress {
 protected:
  static constexpr int clients = 2;
  static constexpr int threads = 3;

  void open_all() {
    start(clients);
    for (int client = 0; client < clients; ++client) {
      sessions_.push_back(server_->open(client, {.timeout = 6s}));
      locks_.push_back(std::make_unique<recursive_mutex>(
          *sessions_.back(), "/lock", lock_options{.hand_over = local_handover{.max_turns = 5, .max_time = 20ms}}));
    }
  }
  template <class What>
  void in_all_threads(What what) {
    std::vector<std::future<void>> running;
    for (int number = 0; number < clients * threads; ++number) {
      running.push_back(std::async(std::launch::async, [&what, this, number] {
        what(*locks_[static_cast<std::size_t>(number % clients)], number);
      }));
    }
    for (auto& one : running) {
      one.get();
    }
  }
  void close_all() {
    locks_.clear();
    sessions_.clear();
    expect_nothing_left("/lock");
  }

  std::vector<std::unique_ptr<session>> sessions_;
  std::vector<std::unique_ptr<recursive_mutex>> locks_;
};
INSTANTIATE_TEST_SUITE_P(, many_turns, both_servers, name_of);

TEST_P(many_turns, count_exactly_and_in_the_order_of_their_tokens) {
  open_all();
  int protected_count = 0;
  fencing_token last;
  in_all_threads([&](recursive_mutex& lock, int number) {
    for (int round = 0; round < 40; ++round) {
      grant held = lock.acquire();
      ++protected_count;
      EXPECT_GT(held.token(), last);
      EXPECT_LT(held.token().turn, 5U);
      last = held.token();
      if ((round + number) % 2 == 0) {
        held.release();
      }
    }
  });
  EXPECT_EQ(protected_count, clients * threads * 40);
  close_all();
}

TEST_P(many_turns, of_threads_that_try_give_up_and_stop_leave_nothing) {
  open_all();
  std::atomic<int> inside = 0;
  in_all_threads([&](recursive_mutex& lock, int number) {
    for (int round = 0; round < 20; ++round) {
      std::error_code ec;
      std::stop_source stop;
      std::jthread stopper;
      grant held;
      switch ((number + round) % 4) {
        case 0: held = lock.try_acquire(ec); break;
        case 1: held = lock.try_acquire_for(1ms, ec); break;
        case 2: held = lock.try_acquire_for(30s, ec); break;
        default: stopper = std::jthread([&stop] { stop.request_stop(); }); held = lock.acquire(stop.get_token(), ec);
      }
      EXPECT_TRUE(!ec || ec == errc::abandoned || ec == errc::not_connected) << ec.message();
      if (held) {
        EXPECT_EQ(++inside, 1);
        --inside;
      }
    }
  });
  close_all();
}

TEST_P(many_turns, of_sessions_that_expire_are_in_the_order_of_their_tokens_or_lost) {
  open_all();
  std::mutex in_store;  // which refuses smaller tokens
  fencing_token greatest;
  std::atomic<int> grants = 0;
  std::atomic<bool> over = false;
  std::jthread faults([&] {
    for (int expiries = 0; expiries < 6; ++expiries) {
      const int before = grants;
      EXPECT_TRUE(eventually([&] { return grants > before + 10; })) << "all threads take part again";
      server_->expire(expiries % clients);
    }
    over = true;
  });
  in_all_threads([&](recursive_mutex& lock, int) {
    while (!over) {
      std::error_code ec;
      const grant held = lock.try_acquire_for(30s, ec);
      EXPECT_FALSE(ec) << ec.message();
      if (!held) {
        continue;
      }
      ++grants;
      const std::unique_lock writing(in_store);
      if (held.token() < greatest) {
        EXPECT_TRUE(eventually([&] { return !held.held(); })) << "refused, though it stands";
      } else {
        greatest = held.token();
      }
    }
  });
  close_all();
}

TEST_P(many_turns, end_when_the_session_is_closed) {
  for (int round = 0; round < 4; ++round) {
    start(1);
    auto one = server_->open(0);
    auto lock = std::make_shared<recursive_mutex>(*one, "/lock", lock_options{.hand_over = local_handover{}});
    std::atomic<int> answered = 0;
    {
      std::vector<std::jthread> running;
      for (int number = 0; number < threads; ++number) {
        running.emplace_back([&, raw = lock.get()] {
          std::error_code ec;
          for (grant held = raw->acquire(ec); held; held = raw->acquire(ec)) {
            held.release(ec);
            if (round % 2 == 0) {
              break;
            }
          }
          EXPECT_TRUE(!ec || ec == errc::session_closed) << ec.message();
          ++answered;
        });
      }
      while (!one->wait_connected_for(1s)) {}
      if (round % 2 != 0) {
        one->close();
      }
    }
    EXPECT_EQ(answered, threads);
    lock.reset();
    one.reset();
    expect_nothing_left("/lock");
  }
}

}  // namespace
}  // namespace zklock::test
