#include "src/runtime/blocking_receiver.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

namespace zklock::detail {
namespace {

TEST(blocking_receiver, a_result_that_came_before_the_wait_is_taken_at_once) {
  blocking_receiver<std::string> told;
  told.complete("done");
  EXPECT_EQ(told.wait(), "done");
}

TEST(blocking_receiver, a_wait_ends_with_the_result) {
  for (int round = 0; round < 100; ++round) {
    const auto told = std::make_shared<blocking_receiver<int>>();
    std::thread answers([told, round] { told->complete(round); });
    EXPECT_EQ(told->wait(), round);
    answers.join();
  }
}

}  // namespace
}  // namespace zklock::detail
