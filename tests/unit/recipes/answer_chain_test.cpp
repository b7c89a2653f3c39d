#include "recipes/answer_chain.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

/// The relay delay is 10 s; requests are answered 1 s after their sending.
namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds delay = 10s;

/// With a request sent at each of these instants, and answered.
answer_chain with_requests_at(std::initializer_list<instant> all, std::chrono::nanoseconds apart = 0s) {
  answer_chain one;
  for (const instant sent : all) {
    one.keep({sent, sent + 1s}, apart);
  }
  return one;
}

TEST(an_answer_chain, f102_proves_a_request_by_two_after_it_at_the_relay_delay_and_behind_an_answer) {
  answer_chain one = with_requests_at({100s, 111s});
  EXPECT_EQ(one.proven_by(112s, delay), 100s);
  EXPECT_EQ(with_requests_at({100s, 111s}).proven_by(112s - 1ns, delay), std::nullopt) << "k before j's answer";
  EXPECT_EQ(with_requests_at({100s, 111s - 1ns}).proven_by(120s, delay), std::nullopt) << "j too early";
  EXPECT_EQ(with_requests_at({100s}).proven_by(200s, delay), std::nullopt) << "one request alone";
  EXPECT_EQ(answer_chain().proven_by(200s, delay), std::nullopt);
}

TEST(an_answer_chain, proves_the_latest_request_that_it_can) {
  answer_chain one = with_requests_at({100s, 101s, 102s, 112s, 113s});
  EXPECT_EQ(one.proven_by(113s, delay), 101s);
  EXPECT_EQ(one.proven_by(114s, delay), 102s);
}

TEST(an_answer_chain, keeps_what_later_proofs_need) {
  answer_chain one = with_requests_at({100s, 105s, 111s});
  EXPECT_EQ(one.proven_by(112s, delay), 100s);
  one.keep({117s, 118s}, 0s);
  EXPECT_EQ(one.proven_by(118s, delay), 105s);
}

TEST(an_answer_chain, drops_what_is_older_than_what_it_has_proved) {
  answer_chain one = with_requests_at({100s, 105s, 111s, 117s});
  EXPECT_EQ(one.proven_by(118s, delay), 105s);
  EXPECT_EQ(one.first_behind({})->sent_at, 105s);
}

TEST(an_answer_chain, keeps_answers_that_stand_apart_and_the_latest) {
  answer_chain one = with_requests_at({100s, 100s + 1ms, 111s, 111s + 1ms}, 2ms);
  EXPECT_EQ(one.latest()->sent_at, 111s + 1ms);
  EXPECT_EQ(one.first_behind(100s)->sent_at, 111s) << "100.001 s was left out";
  EXPECT_EQ(one.proven_by(113s, delay), 100s);
}

TEST(an_answer_chain, proves_nothing_from_before_another_connection) {
  answer_chain one = with_requests_at({100s, 111s});
  one.clear();
  EXPECT_FALSE(one.latest());
  EXPECT_EQ(one.proven_by(120s, delay), std::nullopt);
  EXPECT_FALSE(one.first_behind({}));
}

TEST(an_answer_chain, says_what_one_more_request_would_prove) {
  EXPECT_EQ(with_requests_at({100s}).provable(delay), std::nullopt);
  EXPECT_EQ(with_requests_at({100s, 111s}).provable(delay), 100s);
  EXPECT_EQ(answer_chain().provable(delay), std::nullopt);
}

TEST(an_answer_chain, finds_the_first_answer_behind_an_instant) {
  const answer_chain one = with_requests_at({100s, 105s});
  EXPECT_EQ(one.first_behind({})->sent_at, 100s);
  EXPECT_EQ(one.first_behind(100s)->sent_at, 105s);
  EXPECT_EQ(one.first_behind(100s)->seen_at, 106s);
  EXPECT_FALSE(one.first_behind(105s));
}

}  // namespace
}  // namespace zklock::recipes
