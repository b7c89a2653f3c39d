#include "recipes/granted_timeouts.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;

granted_timeouts opened(const deadline_wishes& wishes, bool adopted = false) {
  granted_timeouts one(wishes);
  one.open(adopted);
  return one;
}

TEST(granted_timeouts, f140_keep_the_least_and_the_greatest) {
  granted_timeouts one = opened({.timeout = 10s});
  EXPECT_EQ(one.terms().timeout, 0s);
  EXPECT_FALSE(one.granted(10s)) << "the first";
  EXPECT_TRUE(one.granted(4s));
  EXPECT_FALSE(one.granted(8s));
  EXPECT_EQ(one.terms().timeout, 4s);
  EXPECT_EQ(one.greatest(), 10s);
}

TEST(granted_timeouts, are_forgotten_with_the_session) {
  granted_timeouts one = opened({.timeout = 10s, .margin = 100ms});
  one.granted(4s);
  one.open(false);
  EXPECT_EQ(one.terms().timeout, 0s);
  EXPECT_EQ(one.greatest(), 0s);
  EXPECT_FALSE(one.granted(10s));
  EXPECT_EQ(one.terms().timeout, 10s);
  EXPECT_EQ(one.terms().margin, 100ms) << "the wishes stay";
}

TEST(granted_timeouts, tell_the_servers_tick_where_they_raise_what_was_asked_for) {
  granted_timeouts one = opened({.timeout = 2s});
  one.granted(8s);  // two ticks are the least that they grant
  EXPECT_EQ(one.terms().tick, 4s);
  granted_timeouts plain = opened({.timeout = 8s});
  plain.granted(8s);
  EXPECT_EQ(plain.terms().tick, 3s) << "the servers' default";
}

TEST(granted_timeouts, of_which_it_is_not_known_what_was_asked_may_be_raised_ones) {
  granted_timeouts one = opened({.timeout = 8s}, true);
  one.granted(8s);
  EXPECT_EQ(one.terms().tick, 4s);
}

TEST(granted_timeouts, that_are_granted_once_more_were_asked_for) {
  granted_timeouts one = opened({.timeout = 10s});
  one.granted(8s);
  one.granted(8s);  // the client asks for what it has been granted
  EXPECT_EQ(one.terms().tick, 3s);
}

TEST(granted_timeouts, leave_a_tick_that_the_user_has_said) {
  granted_timeouts one = opened({.timeout = 10s, .tick = 500ms});
  one.granted(12s);
  EXPECT_EQ(one.terms().tick, 500ms);
}

}  // namespace
}  // namespace zklock::recipes
