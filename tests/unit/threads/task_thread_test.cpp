#include "src/threads/task_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "src/threads/user_code.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

std::chrono::steady_clock::time_point in(std::chrono::nanoseconds time) {
  return std::chrono::steady_clock::now() + time;
}

void unexpected(const char* what) { ADD_FAILURE() << what; }

TEST(a_task_thread, runs_what_was_posted_before_its_end_and_nothing_later) {
  int run = 0;
  task_thread one(unexpected);
  for (int posted = 0; posted < 3; ++posted) {
    one.post([&run] { ++run; });
  }
  EXPECT_EQ(one.end_by(in(1h)), std::nullopt);
  one.post([&run] { ++run; });
  EXPECT_EQ(one.end_by(in(1h)), std::nullopt);
  EXPECT_EQ(run, 3);
}

struct noted_task final : task_thread::task {
  explicit noted_task(std::promise<std::thread::id>& to) : ran_on(to) {}
  void run() override { ran_on.set_value(std::this_thread::get_id()); }
  [[nodiscard]] std::string name() const override { return "a noted one"; }
  std::promise<std::thread::id>& ran_on;
};

TEST(a_task_thread, runs_in_order_what_is_posted_with_and_without_its_own_memory) {
  std::string order;
  std::promise<std::thread::id> ran;
  task_thread one(unexpected);
  one.post([&order] { order += "a"; });
  one.post_always(std::make_shared<noted_task>(ran));
  one.post([&order] { order += "b"; });
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(one.end_by(in(1h)), std::nullopt);
  EXPECT_EQ(order, "ab");
}

TEST(a_task_thread, runs_what_must_run_on_another_thread_behind_its_end) {
  auto one = std::make_unique<task_thread>(unexpected);
  EXPECT_EQ(one->end_by(in(1h)), std::nullopt);
  for (int posted = 0; posted < 20; ++posted) {
    std::promise<std::thread::id> ran;
    one->post_always(std::make_shared<noted_task>(ran));
    EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
  }
  one.reset();
}

TEST(a_task_thread, f186_whose_task_still_runs_is_let_go_and_runs_the_rest) {
  std::promise<void> entered, go_on;
  const auto last = std::make_shared<std::promise<void>>();  // the thread may go on behind the test
  auto one = std::make_unique<task_thread>(unexpected);
  one->post(
      [&] {
        entered.set_value();
        go_on.get_future().wait();
      },
      "the slow one");
  one->post([last] { last->set_value(); }, "the last one");
  entered.get_future().wait();
  EXPECT_EQ(one->end_by(in(20ms)), "the slow one");
  EXPECT_EQ(one->end_by(in(20ms)), "the slow one");
  one.reset();
  go_on.set_value();
  last->get_future().wait();
}

TEST(a_task_thread, that_has_nothing_to_do_has_ended_in_time_however_late_it_is_asked) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    task_thread one(unexpected);
    EXPECT_EQ(one.end_by(in(-1s)), std::nullopt);
  }
}

TEST(a_task_thread, may_end_in_a_task_of_its_own_which_is_user_code) {
  const auto told = std::make_shared<std::promise<std::optional<std::string>>>();
  auto one = std::make_unique<task_thread>(unexpected);
  one->post(
      [&one, told] {
        EXPECT_TRUE(in_user_code());
        auto running = one->end_by(user_code_deadline(1h));
        one.reset();
        told->set_value(std::move(running));
      },
      "its own");
  EXPECT_EQ(told->get_future().get(), "its own");
}

}  // namespace
}  // namespace zklock::detail
