#include "src/api/observation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace zklock::detail {
namespace {

constexpr session_change suspended{session_state::suspended, false};
constexpr session_change connected{session_state::connected, true};

TEST(an_observation, is_told_of_changes_until_it_is_ended) {
  std::vector<session_state> told;
  observation one([&told](const session_change& change) { told.push_back(change.state); });
  one.notify(suspended);
  one.notify(connected);
  one.end();
  one.notify(suspended);
  EXPECT_EQ(told, (std::vector{session_state::suspended, session_state::connected}));
}

TEST(an_observation, f24_may_end_itself_and_returns_first) {
  int told = 0;
  std::unique_ptr<observation> one;
  one = std::make_unique<observation>([&](const session_change&) {
    ++told;
    one->end();
    ++told;
  });
  one->notify(suspended);
  one->notify(connected);
  EXPECT_EQ(told, 2);
}

TEST(an_observation, is_ended_when_its_function_has_returned_on_the_other_thread) {
  std::promise<void> entered, go_on;
  std::atomic<bool> returned = false;
  observation one([&](const session_change&) {
    entered.set_value();
    go_on.get_future().wait();
    returned = true;
  });
  std::jthread tells([&one] { one.notify(suspended); });
  entered.get_future().wait();
  auto ended = std::async(std::launch::async, [&] {
    one.end();
    return returned.load();
  });
  EXPECT_EQ(ended.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  go_on.set_value();
  EXPECT_TRUE(ended.get());
}

TEST(an_observation, f187_that_still_runs_at_the_limit_is_ended_and_keeps_what_its_function_owns) {
  std::promise<void> entered, go_on;
  int told = 0;
  auto owned = std::make_shared<int>();
  const std::weak_ptr<int> kept = owned;
  auto one = std::make_shared<observation>(
      [&, owned](const session_change&) {
        entered.set_value();
        go_on.get_future().wait();
        ++told;
      },
      std::chrono::milliseconds(20));
  owned.reset();
  std::thread tells([one] {
    one->notify(suspended);
    one->notify(connected);
  });
  entered.get_future().wait();
  EXPECT_FALSE(one->end());
  one.reset();
  EXPECT_FALSE(kept.expired());
  go_on.set_value();
  tells.join();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(kept.expired());
}

TEST(an_observation, f187_is_ended_in_user_code_without_a_wait) {
  std::promise<void> entered, go_on;
  observation one(
      [&](const session_change&) {
        entered.set_value();
        go_on.get_future().wait();
      },
      std::chrono::hours(1));
  std::jthread tells([&one] { one.notify(suspended); });
  entered.get_future().wait();
  {
    const user_code_scope inside;
    EXPECT_FALSE(one.end());
  }
  go_on.set_value();
}

TEST(an_observation, that_has_thrown_is_told_again_and_can_be_ended) {
  int told = 0;
  observation one([&told](const session_change&) {
    ++told;
    throw std::runtime_error("thrown by an observer");
  });
  EXPECT_THROW(one.notify(suspended), std::runtime_error);
  EXPECT_THROW(one.notify(connected), std::runtime_error);
  std::thread([&one] { one.end(); }).join();
  EXPECT_EQ(told, 2);
}

TEST(observations, are_those_that_some_client_keeps_in_the_order_of_their_coming) {
  observations all;
  std::vector<int> told;
  const auto first = std::make_shared<observation>([&told](const session_change&) { told.push_back(1); });
  auto second = std::make_shared<observation>([&told](const session_change&) { told.push_back(2); });
  const auto third = std::make_shared<observation>([&told](const session_change&) { told.push_back(3); });
  for (const auto& one : {first, second, third}) {
    all.add(one);
  }
  second.reset();
  for (const auto& one : all.all()) {
    one.lock()->notify(suspended);
  }
  EXPECT_EQ(told, (std::vector{1, 3}));
}

}  // namespace
}  // namespace zklock::detail
