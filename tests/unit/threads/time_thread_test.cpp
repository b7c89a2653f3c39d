#include "src/threads/time_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "src/api/boot_now.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

class a_time_thread : public testing::Test {
 protected:
  [[nodiscard]] bool runs(int count) {
    return test_support::eventually([this, count] { return runs_ >= count; });
  }

  std::atomic<int> runs_ = 0;
  time_thread thread_{[this] { ++runs_; }};
};

TEST_F(a_time_thread, runs_its_task_at_each_ring) {
  thread_.start();
  EXPECT_TRUE(thread_.running());
  thread_.ring();
  EXPECT_TRUE(runs(1));
  EXPECT_TRUE(thread_.ring_if_running());
  EXPECT_TRUE(runs(2));
}

TEST_F(a_time_thread, runs_its_task_not_before_the_alarm) {
  thread_.start();
  const recipes::instant when = boot_now() + 20ms;
  thread_.set(when);
  EXPECT_TRUE(runs(1));
  EXPECT_GE(boot_now(), when);
}

TEST_F(a_time_thread, an_alarm_is_only_moved_forward) {
  thread_.start();
  thread_.set(boot_now() + 20ms);
  thread_.set(boot_now() + 1h);
  EXPECT_TRUE(runs(1)) << "the first stands";
  thread_.set(boot_now() + 20ms);
  EXPECT_EQ(runs_, 1) << "and is not set once more, for what is known to have come";
  thread_.clear();
  thread_.set(boot_now());
  EXPECT_TRUE(runs(2));
}

TEST_F(a_time_thread, once_stopped_it_runs_nothing) {
  thread_.start();
  thread_.stop();
  EXPECT_FALSE(thread_.running());
  EXPECT_FALSE(thread_.ring_if_running());
  thread_.ring();
  thread_.set(boot_now());
  EXPECT_EQ(runs_, 0);
  thread_.stop();
}

TEST_F(a_time_thread, is_ended_once) {
  EXPECT_FALSE(thread_.end()) << "it has not begun";
  thread_.start();
  EXPECT_TRUE(thread_.end());
  EXPECT_FALSE(thread_.end());
}

}  // namespace
}  // namespace zklock::detail
