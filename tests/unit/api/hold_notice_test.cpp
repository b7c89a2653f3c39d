#include "src/api/hold_notice.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/hold_of.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<hold> make_hold() {
  auto session = std::make_shared<session_deadline>();
  EXPECT_TRUE(session->extend(10s));
  return make_noticed_hold(test_support::hold_of(std::move(session), {42}, 7, "/a", "/a/x-lock-0000000001"));
}

TEST(hold_notice, f10_comes_once_to_all_callbacks) {
  hold_notice notice;
  int told = 0;
  const std::stop_callback first(notice.token(), [&] { ++told; });
  const std::stop_callback second(notice.token(), [&] { ++told; });
  EXPECT_FALSE(notice.token().stop_requested());
  notice.announce();
  EXPECT_EQ(told, 2);
  notice.announce();
  EXPECT_EQ(told, 2);
}

TEST(hold_notice, a_token_asked_for_after_the_announcement_is_stopped) {
  hold_notice notice;
  notice.announce();
  EXPECT_TRUE(notice.token().stop_requested());
  int told = 0;
  const std::stop_callback late(notice.token(), [&] { ++told; });
  EXPECT_EQ(told, 1) << "it runs at once";
}

TEST(hold_notice, a_token_outlives_it) {
  std::stop_token token;
  {
    hold_notice notice;
    token = notice.token();
  }
  EXPECT_FALSE(token.stop_requested());
}

TEST(hold_notice, f10_a_loss_is_not_announced_by_itself) {
  const std::shared_ptr<hold> held = make_hold();
  hold& one = *held;
  const std::stop_token token = one.notice()->token();
  EXPECT_TRUE(one.end_by_loss(loss_reason::node_removed));
  EXPECT_FALSE(token.stop_requested());
}

TEST(hold_notice, f24_a_callback_may_ask_the_hold_anything) {
  const std::shared_ptr<hold> held = make_hold();
  hold& one = *held;
  bool asked = false;
  const std::stop_callback callback(one.notice()->token(), [&] {
    asked = !one.held_at(1s) && lost_token(one, 1s).stop_requested() && one.why_lost() == loss_reason::node_removed;
    one.notice()->announce();
  });
  EXPECT_TRUE(one.end_by_loss(loss_reason::node_removed));
  one.notice()->announce();
  EXPECT_TRUE(asked);
}

TEST(hold_notice, asking_for_the_token_past_the_deadline_announces_the_loss) {
  const std::shared_ptr<hold> held = make_hold();
  hold& one = *held;
  int told = 0;
  const std::stop_callback callback(lost_token(one, 9s), [&] { ++told; });
  EXPECT_EQ(told, 0);
  EXPECT_TRUE(lost_token(one, 10s).stop_requested());
  EXPECT_EQ(told, 1);
}

TEST(hold_notice, asking_for_the_token_of_a_released_hold_announces_nothing) {
  const std::shared_ptr<hold> held = make_hold();
  hold& one = *held;
  EXPECT_TRUE(one.end_by_release(5s));
  EXPECT_FALSE(lost_token(one, 11s).stop_requested());
}

TEST(hold_notice, threads_that_ask_for_it_while_it_is_announced_all_hear_it) {
  for (int round = 0; round < 100; ++round) {
    hold_notice notice;
    std::atomic<int> heard{0};
    std::vector<std::jthread> threads;
    for (int asker = 0; asker < 3; ++asker) {
      threads.emplace_back([&] {
        const std::stop_token token = notice.token();
        while (!token.stop_requested()) {
          std::this_thread::yield();
        }
        ++heard;
      });
    }
    notice.announce();
    threads.clear();
    EXPECT_EQ(heard, 3);
  }
}

}  // namespace
}  // namespace zklock::detail
