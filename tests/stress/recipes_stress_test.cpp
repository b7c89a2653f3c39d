// Many threads on the recipes, without faults of the servers: counts come out exact, and nothing is left.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "tests/stress/server_for_stress.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;

constexpr int threads = 6;
constexpr int rounds = 15;

template <class What>
void in_threads(What what) {
  std::vector<std::future<void>> running;
  for (int number = 0; number < threads; ++number) {
    running.push_back(std::async(std::launch::async, [&what, number] { what(number); }));
  }
  for (auto& one : running) {
    one.get();
  }
}

class many_users : public under_stress {
 protected:
  void SetUp() override {
    start(2);
    one_ = server_->open(0);
    other_ = server_->open(1);
  }
  [[nodiscard]] session& session_of(int number) { return number % 2 == 0 ? *one_ : *other_; }

  std::unique_ptr<session> one_;
  std::unique_ptr<session> other_;
};
INSTANTIATE_TEST_SUITE_P(, many_users, both_servers, name_of);

TEST_P(many_users, of_a_shared_mutex_read_together_and_write_alone) {
  shared_mutex mine(*one_, "/lock");
  shared_mutex others(*other_, "/lock");
  std::pair<int, int> counts;  // equal whenever no thread writes
  in_threads([&](int number) {
    shared_mutex& lock = number % 2 == 0 ? mine : others;
    for (int round = 0; round < rounds; ++round) {
      if ((number + round) % 3 != 0) {
        const std::shared_lock reading(lock);
        EXPECT_EQ(counts.first, counts.second);
        continue;
      }
      grant writing = lock.as(owner::this_thread()).acquire();
      ++counts.first;
      const grant reading = lock.read().as(owner::this_thread()).acquire();
      ++counts.second;
      if (round % 2 == 0) {
        writing.downgrade();
      } else {
        writing = {};
      }
      EXPECT_EQ(counts.first, counts.second);
    }
  });
  EXPECT_EQ(counts.first, threads * rounds / 3);
  expect_nothing_left("/lock");
}

TEST_P(many_users, of_a_semaphore_are_never_more_inside_than_there_are_permits) {
  std::atomic<int> out = 0;
  std::atomic<int> done = 0;
  in_threads([&](int number) {
    semaphore pool(session_of(number), "/lock", 3);
    for (int round = 0; round < rounds; ++round) {
      const int wanted = 1 + (number + round) % 3;
      const grant permits = pool.permits(static_cast<std::uint32_t>(wanted)).acquire();
      EXPECT_LE(out += wanted, 3);
      out -= wanted;
      ++done;
    }
  });
  EXPECT_EQ(done, threads * rounds);
  expect_nothing_left("/lock");
}

TEST_P(many_users, of_multi_locks_over_common_parts_count_exactly) {
  recursive_mutex a1(*one_, "/a");
  recursive_mutex a2(*other_, "/a");
  shared_mutex b1(*one_, "/b");
  shared_mutex b2(*other_, "/b");
  int protected_by_a = 0;
  int protected_by_b = 0;
  in_threads([&](int number) {
    recursive_mutex& a = number % 2 == 0 ? a1 : a2;
    shared_mutex& b = number % 2 == 0 ? b1 : b2;
    semaphore pool(session_of(number), "/pool", 2);
    multi_lock all(number % 3 == 0 ? std::vector<lock_view>{a, b.write(), pool.permits(1)}
                                   : std::vector<lock_view>{pool.permits(2), b.write(), a});
    for (int round = 0; round < rounds; ++round) {
      const std::scoped_lock guard(all);
      ++protected_by_a;
      const std::scoped_lock again(a);
      ++protected_by_b;
    }
  });
  EXPECT_EQ(protected_by_a, threads * rounds);
  EXPECT_EQ(protected_by_b, threads * rounds);
  for (const char* path : {"/a", "/b", "/pool"}) {
    expect_nothing_left(path);
  }
}

TEST_P(many_users, that_try_give_up_and_stop_leave_nothing) {
  in_threads([&](int number) {
    recursive_mutex a(session_of(number), "/a");
    shared_mutex b(session_of(number), "/b");
    semaphore pool(session_of(number), "/pool", 2);
    multi_lock all{a, b.write(), pool.permits(1)};
    for (int round = 0; round < rounds; ++round) {
      std::error_code ec;
      std::stop_source stop;
      std::jthread stopper;
      grant held;
      switch ((number + round) % 5) {
        case 0: held = b.read().try_acquire(ec); break;
        case 1: held = pool.permits(2).try_acquire_for(1ms, ec); break;
        case 2: held = all.try_acquire(ec); break;
        case 3: held = all.try_acquire_for(2ms, ec); break;
        default: stopper = std::jthread([&stop] { stop.request_stop(); }); held = all.acquire(stop.get_token(), ec);
      }
      EXPECT_TRUE(!ec || ec == errc::abandoned || ec == errc::not_connected) << ec.message();
    }
  });
  for (const char* path : {"/a", "/b", "/pool"}) {
    expect_nothing_left(path);
  }
}

}  // namespace
}  // namespace zklock::test
