#include <gtest/gtest.h>

#include <exception>

#include "recipes/action.hpp"

namespace zklock::recipes {
namespace {

TEST(action_list, keeps_its_actions_in_their_order) {
  const action_list some(action::refuse, action::forget_own, action::remove_own);
  ASSERT_EQ(some.size(), 3U);
  EXPECT_EQ(some.begin()[0], action::refuse);
  EXPECT_EQ(some.begin()[1], action::forget_own);
  EXPECT_EQ(some.end()[-1], action::remove_own);
  EXPECT_TRUE(action_list().empty());
}

TEST(action_list, one_action_too_many_is_an_exception_and_nothing_is_written_behind_the_list) {
  action_list full;
  for (std::size_t number = 0; number < action_list::capacity; ++number) {
    full.push(action::list);
  }
  EXPECT_THROW(full.push(action::grant), std::exception);
  EXPECT_EQ(full.size(), action_list::capacity);
  EXPECT_EQ(full.end()[-1], action::list);
}

}  // namespace
}  // namespace zklock::recipes
