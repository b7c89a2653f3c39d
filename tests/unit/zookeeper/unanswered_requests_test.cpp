#include "src/zookeeper/unanswered_requests.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace zklock::client {
namespace {

using namespace std::chrono_literals;

TEST(unanswered_requests, a_wait_for_none_ends_at_once_when_there_are_none) {
  unanswered_requests requests;
  EXPECT_TRUE(requests.wait_none(0ns));
  requests.add();
  requests.remove();
  EXPECT_TRUE(requests.wait_none(0ns));
}

TEST(unanswered_requests, a_wait_ends_with_the_last_answer) {
  unanswered_requests requests;
  requests.add();
  requests.add();
  auto waited = std::async(std::launch::async, [&requests] { return requests.wait_none(1h); });
  requests.remove();
  requests.remove();
  EXPECT_TRUE(waited.get());
}

TEST(unanswered_requests, a_wait_ends_with_its_limit) {
  unanswered_requests requests;
  requests.add();
  EXPECT_FALSE(requests.wait_none(1ms));
  requests.remove();
  EXPECT_TRUE(requests.wait_none(1ms));
}

TEST(unanswered_requests, no_answer_of_many_threads_is_missed) {
  for (int round = 0; round < 100; ++round) {
    unanswered_requests requests;
    for (int request = 0; request < 40; ++request) {
      requests.add();
    }
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&requests] {
        for (int answer = 0; answer < 10; ++answer) {
          requests.remove();
        }
      });
    }
    EXPECT_TRUE(requests.wait_none(1h));
  }
}

}  // namespace
}  // namespace zklock::client
