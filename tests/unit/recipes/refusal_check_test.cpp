#include "recipes/refusal_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;
using state = refusal_check::state;

constexpr auto timeout = 12s;
constexpr std::size_t servers = 3;

refusal_check disconnected_at(instant when) {
  refusal_check made;
  made.disconnected(when, timeout);
  return made;
}
void close_attempts(refusal_check& one, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    one.attempt_closed(servers);
  }
}

TEST(refusal_check, rests_while_the_handle_is_connected) {
  refusal_check one;
  EXPECT_FALSE(one.due());
  EXPECT_FALSE(one.timer(1h));
  close_attempts(one, 100);
  one.newcomer_served();
  one.interrupted(1h);
  EXPECT_EQ(one, refusal_check());
}

TEST(refusal_check, asks_a_session_timeout_after_the_loss_of_the_connection) {
  refusal_check one = disconnected_at(100s);
  one.disconnected(105s, timeout);
  EXPECT_EQ(one.due(), 112s) << "of the first loss";
  EXPECT_FALSE(one.timer(111s));
  EXPECT_TRUE(one.timer(112s));
  EXPECT_EQ(one.now(), state::asking);
  EXPECT_FALSE(one.due());
  EXPECT_FALSE(one.timer(113s)) << "once";
}

TEST(refusal_check, asks_again_a_little_later_when_the_newcomer_is_not_served) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  one.interrupted(120s);
  EXPECT_EQ(one.due(), 121s);
  close_attempts(one, 100);
  EXPECT_EQ(one.now(), state::waiting) << "servers that take no newcomers have said nothing";
}

TEST(refusal_check, f183_needs_each_server_to_close_behind_a_newcomer_that_was_served_twice) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  close_attempts(one, 100);
  EXPECT_EQ(one.now(), state::asking) << "they may all be down";
  one.newcomer_served();
  close_attempts(one, servers);
  EXPECT_EQ(one.now(), state::counting) << "the first attempt may be older than the newcomer";
  close_attempts(one, 1);
  EXPECT_EQ(one.now(), state::asking) << "the server may have gone down meanwhile";
  one.newcomer_served();
  close_attempts(one, servers);
  EXPECT_EQ(one.now(), state::counting);
  close_attempts(one, 1);
  EXPECT_EQ(one.now(), state::refused);
}

TEST(refusal_check, keeps_the_first_round_when_the_second_newcomer_is_not_served_at_once) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  one.newcomer_served();
  close_attempts(one, servers + 1);
  one.interrupted(113s);
  ASSERT_TRUE(one.timer(114s));
  one.newcomer_served();
  close_attempts(one, servers + 1);
  EXPECT_EQ(one.now(), state::refused);
}

TEST(refusal_check, f183_asks_again_when_an_attempt_says_nothing) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  one.newcomer_served();
  close_attempts(one, servers);
  one.interrupted(113s);
  EXPECT_EQ(one.due(), 114s);
  ASSERT_TRUE(one.timer(114s));
  one.newcomer_served();
  close_attempts(one, servers);
  EXPECT_EQ(one.now(), state::counting) << "the round begins anew";
}

TEST(refusal_check, begins_anew_behind_a_connection) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  one.newcomer_served();
  close_attempts(one, servers + 1);
  one.end();
  EXPECT_EQ(one, refusal_check());
  one.disconnected(200s, timeout);
  EXPECT_EQ(one, disconnected_at(200s));
}

}  // namespace
}  // namespace zklock::recipes
