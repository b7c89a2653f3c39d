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
void fail_attempts(refusal_check& one, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    one.attempt_failed(servers);
  }
}

TEST(refusal_check, rests_while_the_handle_is_connected) {
  refusal_check one;
  EXPECT_FALSE(one.due());
  EXPECT_FALSE(one.timer(1h));
  fail_attempts(one, 100);
  one.newcomer_served();
  one.newcomer_failed(1h);
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
  one.newcomer_failed(120s);
  EXPECT_EQ(one.due(), 121s);
  fail_attempts(one, 100);
  EXPECT_EQ(one.now(), state::waiting) << "servers that take no newcomers have said nothing";
}

TEST(refusal_check, f183_needs_a_failure_at_each_server_behind_a_newcomer_that_was_served_twice) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  fail_attempts(one, 100);
  EXPECT_EQ(one.now(), state::asking) << "they may all be down";
  one.newcomer_served();
  fail_attempts(one, servers);
  EXPECT_EQ(one.now(), state::counting) << "the first attempt may be older than the newcomer";
  fail_attempts(one, 1);
  EXPECT_EQ(one.now(), state::asking) << "the server may have gone down meanwhile";
  one.newcomer_served();
  fail_attempts(one, servers);
  EXPECT_EQ(one.now(), state::counting);
  fail_attempts(one, 1);
  EXPECT_EQ(one.now(), state::refused);
}

TEST(refusal_check, keeps_the_first_round_when_the_second_newcomer_is_not_served_at_once) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  one.newcomer_served();
  fail_attempts(one, servers + 1);
  one.newcomer_failed(113s);
  ASSERT_TRUE(one.timer(114s));
  one.newcomer_served();
  fail_attempts(one, servers + 1);
  EXPECT_EQ(one.now(), state::refused);
}

TEST(refusal_check, begins_anew_behind_a_connection) {
  refusal_check one = disconnected_at(100s);
  ASSERT_TRUE(one.timer(112s));
  one.newcomer_served();
  fail_attempts(one, servers + 1);
  one.end();
  EXPECT_EQ(one, refusal_check());
  one.disconnected(200s, timeout);
  EXPECT_EQ(one, disconnected_at(200s));
}

}  // namespace
}  // namespace zklock::recipes
