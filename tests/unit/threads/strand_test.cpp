#include "src/threads/strand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace zklock::detail {
namespace {

TEST(strand, runs_a_task_at_once_on_the_calling_thread_and_settles_after_it) {
  std::string order;
  strand line([&order] { order += "settle "; }, [] { return false; });
  std::thread::id ran_on;
  line.run([&] {
    order += "task ";
    ran_on = std::this_thread::get_id();
  });
  EXPECT_EQ(order, "task settle ");
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(strand, a_task_that_a_task_brings_runs_after_it) {
  std::string order;
  strand line([] {}, [] { return false; });
  line.run([&] {
    line.run([&] { order += "c"; });
    line.run([&] { order += "d"; });
    order += "ab";
  });
  EXPECT_EQ(order, "abcd");
}

TEST(strand, a_thread_does_not_wait_for_the_task_of_another) {
  strand line([] {}, [] { return false; });
  std::latch inside(1);
  std::latch go_on(1);
  std::thread::id ran_on;
  std::thread busy([&] {
    line.run([&] {
      inside.count_down();
      go_on.wait();
    });
  });
  inside.wait();
  line.run([&ran_on] { ran_on = std::this_thread::get_id(); });
  const std::thread::id expected = busy.get_id();
  go_on.count_down();
  busy.join();
  EXPECT_EQ(ran_on, expected) << "left to the thread that was there";
}

TEST(strand, tasks_of_many_threads_run_one_at_a_time_and_each_threads_in_its_order) {
  strand line([] {}, [] { return false; });
  std::vector<std::vector<int>> seen(4);  // guarded by the strand
  int inside = 0;
  int most = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < seen.size(); ++number) {
      threads.emplace_back([&, number] {
        for (int task = 0; task < 1000; ++task) {
          line.run([&, number, task] {
            most = std::max(most, ++inside);
            seen[number].push_back(task);
            --inside;
          });
        }
      });
    }
  }
  EXPECT_EQ(most, 1);
  for (const std::vector<int>& tasks : seen) {
    ASSERT_EQ(tasks.size(), 1000U);
    EXPECT_TRUE(std::is_sorted(tasks.begin(), tasks.end()));
  }
}

/// Brings one task after the other from within, as busy threads would.
class endless {
 public:
  explicit endless(strand& line, int count) : line_(line), left_(count) {}
  void run() {
    ++done;
    if (--left_ > 0) {
      line_.run([this] { run(); });
    }
  }
  int done = 0;

 private:
  strand& line_;
  int left_;
};

TEST(strand, a_thread_that_others_keep_busy_is_let_go_when_help_comes) {
  int calls = 0;
  strand line([] {}, [&calls] { return ++calls > 0; });
  endless tasks(line, 200);
  line.run([&tasks] { tasks.run(); });
  EXPECT_EQ(calls, 1);
  EXPECT_LT(tasks.done, 200);
  bool ran = false;
  line.run([&ran] { ran = true; });
  EXPECT_FALSE(ran) << "no other thread goes on there";
  line.take_over();
  EXPECT_EQ(tasks.done, 200) << "to the end: it is not let go";
  EXPECT_TRUE(ran);
  line.take_over();
}

TEST(strand, a_thread_that_is_to_do_its_own_tasks_only_leaves_those_of_others_to_help) {
  int calls = 0;
  strand line([] {}, [&calls] { return ++calls > 0; });
  int others = 0;
  bool own = false;
  {
    const own_tasks_only here;
    line.run([&] {
      own = true;
      for (int i = 0; i < 3; ++i) {
        line.run([&others] { ++others; });
      }
    });
  }
  EXPECT_TRUE(own);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(calls, 1);
  line.take_over();
  EXPECT_EQ(others, 3);
  EXPECT_FALSE(own_tasks_only::here());
}

TEST(strand, a_thread_is_let_go_in_the_middle_of_what_many_have_brought_at_once) {
  strand line([] {}, [] { return true; });
  int done = 0;
  line.run([&] {
    for (int i = 0; i < 200; ++i) {
      line.run([&done] { ++done; });
    }
  });
  EXPECT_EQ(done, 64) << "a bound of tasks, not of batches";
  line.run([&done] { ++done; });
  line.take_over();
  EXPECT_EQ(done, 201);
}

TEST(strand, a_thread_without_help_goes_on_to_the_end) {
  strand line([] {}, [] { return false; });
  endless tasks(line, 200);
  line.run([&tasks] { tasks.run(); });
  EXPECT_EQ(tasks.done, 200);
}

}  // namespace
}  // namespace zklock::detail
