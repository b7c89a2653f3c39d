#include "src/api/blocking_receiver.hpp"

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
    std::thread answers;
    {
      blocking_receiver<int> told;
      answers = std::thread([to = told.shared(), round] { to->complete(round); });
      EXPECT_EQ(told.wait(), round);
    }  // perhaps while it is still being told
    answers.join();
  }
}

}  // namespace
}  // namespace zklock::detail
