// Rows of docs/design/faults.md about calls that have no thread, on a real server.
#include <gtest/gtest.h>

#include <zklock/async.hpp>
#include <zklock/exit_on_loss.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/threads_of_this_process.hpp"

namespace zklock::test {
namespace {

using test_support::threads_of_this_process;
using test_support::threads_since;

/// What many calls were told. Their grants wait here until they are taken.
class told_calls {
 public:
  explicit told_calls(std::size_t count) : times_(count) {}

  auto handler(std::size_t number) {
    return [this, number](std::error_code ec, grant taken) {
      ++times_[number];
      if (ec == errc::abandoned) {
        ++abandoned_;
      } else if (ec == errc::not_connected) {
        ++unanswered_;
      } else if (ec) {
        ++failed_;
      } else if (!taken) {
        ++late_;
      } else {
        const std::lock_guard lock(mutex_);
        ++granted_;
        grants_.push_back(std::move(taken));
      }
      ++told_;
    };
  }
  /// Null: none is there now.
  [[nodiscard]] std::optional<grant> take() {
    const std::lock_guard lock(mutex_);
    if (grants_.empty()) {
      return std::nullopt;
    }
    std::optional<grant> one(std::move(grants_.front()));
    grants_.pop_front();
    return one;
  }
  [[nodiscard]] bool each_once() const {
    for (const std::atomic<int>& one : times_) {
      if (one != 1) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] int told() const noexcept { return told_; }
  [[nodiscard]] int granted() const noexcept { return granted_; }
  [[nodiscard]] int abandoned() const noexcept { return abandoned_; }
  [[nodiscard]] int late() const noexcept { return late_; }
  /// Not in time, and no server had answered.
  [[nodiscard]] int unanswered() const noexcept { return unanswered_; }

 private:
  std::deque<std::atomic<int>> times_;
  std::atomic<int> told_ = 0, granted_ = 0, abandoned_ = 0, late_ = 0, failed_ = 0, unanswered_ = 0;
  std::mutex mutex_;
  std::deque<grant> grants_;
};

class waiting_without_a_thread : public on_a_server {
 protected:
  waiting_without_a_thread() { EXPECT_TRUE(one_.wait_connected_for(patience)); }

  session& one_ = open();
  session& other_ = open();
};

TEST_F(waiting_without_a_thread, f120_many_take_no_thread_and_the_release_that_lets_one_in_runs) {
  constexpr std::size_t many = 1'000;
  recursive_mutex lock(one_, "/lock"), others(other_, "/lock");
  grant first = others.acquire();
  const std::set<std::string> before = threads_of_this_process();
  told_calls told(many);
  for (std::size_t i = 0; i < many; ++i) {
    start_acquire(lock, {}, told.handler(i));
  }
  ASSERT_TRUE(queue_grows_to(many + 1));
  EXPECT_EQ(threads_since(before), 0U);
  first.release();
  for (std::size_t i = 0; i < many; ++i) {
    std::optional<grant> next;
    ASSERT_TRUE(eventually([&] { return (next = told.take()).has_value(); })) << i;
    EXPECT_EQ(told.granted(), static_cast<int>(i) + 1) << "one at a time";
    start_release(*std::move(next), [](std::error_code ec) { EXPECT_FALSE(ec) << ec.message(); });
  }
  EXPECT_TRUE(told.each_once());
  EXPECT_EQ(threads_since(before), 0U);
}

TEST_F(waiting_without_a_thread, a_session_counts_the_threads_that_it_has) {
  const std::set<std::string> before = threads_of_this_process();
  session& third = open();
  ASSERT_TRUE(third.wait_connected_for(patience));
  EXPECT_EQ(third.statistics().threads, 5U);
  EXPECT_EQ(threads_since(before), 5U);
  recursive_mutex lock(third, "/exits");
  grant held = lock.acquire();
  exit_on_loss(held, 3);
  EXPECT_EQ(third.statistics().threads, 6U);
  EXPECT_EQ(threads_since(before), 6U);
  held.release();
  third.close();
  EXPECT_TRUE(eventually([&] { return third.statistics().threads == 0; })) << third.statistics().threads;
}

TEST_F(waiting_without_a_thread, f122_and_cancelled_at_any_moment_each_is_granted_or_leaves_no_node) {
  constexpr std::size_t many = 500;
  recursive_mutex lock(one_, "/lock");
  semaphore pool(one_, "/pool", 3);
  std::mt19937 lots(20261127);
  told_calls told(many);
  std::vector<std::stop_source> stops(many);
  for (std::size_t i = 0; i < many; ++i) {
    const lock_view of = i % 2 == 0 ? lock_view(lock) : lock_view(pool);
    start_acquire(of, {.stop = stops[i].get_token()}, told.handler(i));
    stops[lots() % (i + 1)].request_stop();  // before its create's answer, in the queue, granted, told: all of it
    static_cast<void>(told.take());
  }
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(told.take());
    return told.told() == static_cast<int>(many);
  }));
  while (told.take()) {}
  EXPECT_TRUE(told.each_once());
  EXPECT_EQ(told.granted() + told.abandoned(), static_cast<int>(many));
  EXPECT_GT(told.granted(), 0);
  EXPECT_GT(told.abandoned(), 0);
  EXPECT_TRUE(queue_grows_to(0)) << "none";
  touch_lock_node("/pool");
}

TEST_F(waiting_without_a_thread, f123_and_cancelled_one_goes_and_the_connection_and_the_others_stay) {
  recursive_mutex lock(one_, "/lock"), others(other_, "/lock");
  grant first = others.acquire();
  told_calls told(3);
  std::stop_source stop;
  start_acquire(lock, {}, told.handler(0));
  ASSERT_TRUE(queue_grows_to(2));
  start_acquire(lock, {.stop = stop.get_token()}, told.handler(1));
  ASSERT_TRUE(queue_grows_to(3));
  start_acquire(lock, {}, told.handler(2));
  ASSERT_TRUE(queue_grows_to(4));
  const std::vector<std::string> before = contenders();
  std::atomic<int> changes = 0;
  const session_observer observed = one_.observe([&](const session_change&) { ++changes; });
  stop.request_stop();
  ASSERT_TRUE(eventually([&] { return told.abandoned() == 1; }));
  ASSERT_TRUE(eventually([&] { return contenders().size() == 3; }));
  for (const std::string& left : contenders()) {
    EXPECT_NE(std::find(before.begin(), before.end(), left), before.end()) << "no new node: " << left;
  }
  first.release();
  for (int i = 1; i <= 2; ++i) {
    ASSERT_TRUE(eventually([&] { return told.granted() == i; }));
    ASSERT_TRUE(told.take());
  }
  EXPECT_EQ(changes, 0);
  EXPECT_TRUE(told.each_once());
}

TEST_F(waiting_without_a_thread, f125_in_time_limits_that_end_with_the_release_each_is_granted_or_late) {
  constexpr std::size_t rounds = 150;
  recursive_mutex lock(one_, "/lock"), others(other_, "/lock");
  told_calls told(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    grant first = others.acquire();
    start_acquire(lock, {.within = std::chrono::microseconds(500 * (i % 12))}, told.handler(i));
    first.release();  // takes about as long
    ASSERT_TRUE(eventually([&] { return told.told() == static_cast<int>(i) + 1; }));
    static_cast<void>(told.take());
    ASSERT_TRUE(queue_grows_to(0)) << "whichever came first";
  }
  EXPECT_TRUE(told.each_once());
  EXPECT_EQ(told.granted() + told.late() + told.unanswered(), static_cast<int>(rounds));
  EXPECT_GT(told.granted(), 0);
  EXPECT_GT(told.late(), 0);
}

}  // namespace
}  // namespace zklock::test
