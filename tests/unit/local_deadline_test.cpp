#include "recipes/local_deadline.hpp"

#include <gtest/gtest.h>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;

// T = 6 s, margin T/6 = 1 s: an answer to a request sent at s after one sent at p moves it to max(p, s - 2 s) + 5 s, if the
// leader can know of p by then; p counts at the most 1 s more than the last one that was answered 1 s before s.
local_deadline connected() {
  local_deadline deadline;
  deadline.connected(6s, 1s);
  return deadline;
}

TEST(local_deadline, the_first_answer_counts_from_a_third_of_the_timeout_before_its_sending) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 100s), instant(103s)) << "100 - 2 + 6 - 1";
}

TEST(local_deadline, f102_after_an_idle_spell_the_term_of_a_third_counts_not_the_previous_one) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  EXPECT_TRUE(deadline.answered(1, 100s));
  deadline.sent(2, 160s);
  EXPECT_EQ(deadline.answered(2, 160s), instant(163s))
      << "and not 165 s: its touch may not have been told to the leader";
}

TEST(local_deadline, an_answer_proves_the_request_before_it_once_the_leader_must_know_of_that) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 100s), instant(103s));
  deadline.sent(2, 101s);
  EXPECT_EQ(deadline.answered(2, 101s), instant(105s)) << "100 + 6 - 1: later than 101 - 2 + 5";
}

TEST(local_deadline, f110_a_second_request_right_behind_the_first_proves_nothing_of_it) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  deadline.sent(2, 100s + 500ms);
  EXPECT_EQ(deadline.answered(1, 100s), instant(103s));
  EXPECT_EQ(deadline.answered(2, 100s + 500ms), instant(103s + 500ms))
      << "a follower tells of whom it has heard each T/6";
  deadline.sent(3, 101s + 400ms);
  EXPECT_EQ(deadline.answered(3, 101s + 400ms), instant(105s + 500ms))
      << "the leader knows of 100, and at most T/6 more";
}

TEST(local_deadline, a_late_answer_puts_off_what_it_is_a_proof_for) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 102s), instant(103s));
  deadline.sent(2, 102s + 500ms);
  EXPECT_EQ(deadline.answered(2, 102s + 500ms), instant(105s + 500ms))
      << "102.5 - 2 + 5: the first may have arrived at 102";
}

TEST(local_deadline, f111_after_the_process_stood_still_only_settled_requests_count) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  EXPECT_TRUE(deadline.answered(1, 100s));
  deadline.stood_still(105s + 900ms);
  deadline.sent(2, 105s + 900ms);
  EXPECT_EQ(deadline.answered(2, 105s + 900ms), instant(105s)) << "nobody has pinged: 100 + 6 - 1";
  deadline.sent(3, 106s + 900ms);
  EXPECT_EQ(deadline.answered(3, 106s + 900ms), instant(110s + 900ms)) << "the leader has been told of the second";
}

TEST(local_deadline, after_the_process_stood_still_on_a_new_connection_the_first_answers_prove_nothing) {
  local_deadline deadline = connected();
  deadline.stood_still(100s);
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 100s), std::nullopt);
  deadline.sent(2, 102s);
  EXPECT_EQ(deadline.answered(2, 102s), instant(105s)) << "it has run for T/3";
}

TEST(local_deadline, with_a_heartbeat_every_twelfth_it_stays_most_of_the_timeout_ahead) {
  local_deadline deadline = connected();
  std::uint64_t request = 0;
  for (instant now = 100s; now < 110s; now += 500ms) {
    deadline.sent(++request, now);
    const auto proven = deadline.answered(request, now);
    EXPECT_EQ(proven, request < 3 ? now + 3s : now - 500ms + 5s) << request;
  }
}

TEST(local_deadline, it_counts_from_the_sending_however_late_the_answer_comes) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 105s), instant(103s));
}

TEST(local_deadline, f103_a_connect_proves_nothing_and_forgets_what_was_sent_before) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  deadline.disconnected();
  deadline.sent(2, 101s);  // queued while there is no server
  deadline.connected(6s, 1s);
  EXPECT_EQ(deadline.answered(1, 101s), std::nullopt);
  EXPECT_EQ(deadline.answered(2, 101s), std::nullopt) << "nobody knows when that one was really sent";
  EXPECT_EQ(deadline.last_sent(), std::nullopt) << "so a heartbeat is due at once";
  deadline.sent(3, 102s);
  EXPECT_EQ(deadline.answered(3, 102s), instant(105s)) << "the previous one was on another connection";
}

TEST(local_deadline, a_request_that_no_server_answered_proves_nothing_and_is_no_previous_one) {
  local_deadline deadline = connected();
  deadline.sent(1, 100s);
  deadline.sent(2, 100s + 100ms);
  deadline.failed(1);
  EXPECT_EQ(deadline.answered(2, 100s + 100ms), instant(103s + 100ms)) << "100.1 - 2 + 5";
}

TEST(local_deadline, what_was_not_sent_or_is_answered_twice_proves_nothing) {
  local_deadline deadline = connected();
  EXPECT_EQ(deadline.answered(9, 100s), std::nullopt);
  deadline.sent(1, 100s);
  EXPECT_TRUE(deadline.answered(1, 100s));
  EXPECT_EQ(deadline.answered(1, 100s), std::nullopt);
}

TEST(local_deadline, the_timeout_is_read_again_at_every_connect) {
  local_deadline deadline = connected();
  deadline.disconnected();
  deadline.connected(12s, 4s);
  EXPECT_EQ(deadline.timeout(), 12s);
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 100s), instant(104s)) << "100 - 4 + 12 - 4";
}

TEST(local_deadline, before_the_first_connect_and_after_a_reset_nothing_is_proven) {
  local_deadline deadline;
  deadline.sent(1, 100s);
  EXPECT_EQ(deadline.answered(1, 100s), std::nullopt);
  deadline.connected(6s, 1s);
  deadline.sent(2, 100s);
  deadline.reset();
  EXPECT_EQ(deadline.answered(2, 100s), std::nullopt);
  EXPECT_EQ(deadline.timeout(), 0s);
}

TEST(local_deadline, the_last_sending_is_what_the_next_heartbeat_counts_from) {
  local_deadline deadline = connected();
  EXPECT_EQ(deadline.last_sent(), std::nullopt);
  deadline.sent(1, 100s);
  deadline.sent(2, 101s);
  EXPECT_EQ(deadline.last_sent(), instant(101s));
  EXPECT_TRUE(deadline.answered(1, 100s));
  deadline.failed(2);
  EXPECT_EQ(deadline.last_sent(), instant(101s));
}

/// Requests at odd times, some of them failing: never later than the sending of an answered request allows.
TEST(local_deadline, f101_it_never_goes_beyond_what_the_sending_times_allow) {
  local_deadline deadline = connected();
  instant previous = instant::min();
  instant now = 0s;
  for (std::uint64_t request = 1; request < 2000; ++request) {
    now += std::chrono::milliseconds(request * 7919 % 2600);
    deadline.sent(request, now);
    if (request % 5 == 0) {
      deadline.failed(request);
      continue;
    }
    const auto proven = deadline.answered(request, now);
    ASSERT_TRUE(proven);
    EXPECT_LE(*proven, std::max(previous, now - 2s) + 5s);
    EXPECT_LE(*proven, now + 5s);
    EXPECT_GE(*proven, now + 3s);
    previous = now;
  }
}

}  // namespace
}  // namespace zklock::recipes
