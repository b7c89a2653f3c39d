#include "recipes/local_deadline.hpp"

#include <gtest/gtest.h>

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using kind = local_deadline::request_kind;

// T = 10 s, tick 2 s, margin 1 s: what the leader has heard of at h, and a quorum at h or later, allows h + 10 s - 10 ms - 1 s; a
// follower has told its leader of a request after 1.1 s.
constexpr nanoseconds ahead = 10s - 10ms - 1s;
constexpr nanoseconds relay = 1s + 100ms;

/// A session whose handle was opened at 100 s, and which speaks through it.
class script {
 public:
  explicit script(const deadline_wishes& wishes = {10s, 2s, 1s}, bool adopted = false) : deadline(wishes) {
    deadline.opened(100s, adopted);
  }
  std::uint64_t send(kind what, instant now) {
    deadline.sent(++last_, what, now);
    return last_;
  }
  /// Answered at once.
  std::optional<instant> write(instant now) { return deadline.answered(send(kind::write, now), now); }
  std::optional<instant> sync(instant now) { return deadline.answered(send(kind::sync, now), now); }
  void connect(nanoseconds granted = 10s) { EXPECT_EQ(deadline.connected(granted), std::nullopt); }

  local_deadline deadline;

 private:
  std::uint64_t last_ = 0;
};

script connected() {
  script one;
  one.connect();
  return one;
}

// ---- what the leader has heard of

TEST(local_deadline, in_a_new_session_the_first_answer_proves_the_opening_of_its_handle) {
  script one = connected();
  EXPECT_EQ(one.write(101s), 100s + ahead);
}

TEST(local_deadline, f103_a_connect_alone_proves_nothing) {
  script one = connected();
  EXPECT_EQ(one.deadline.next_step(), std::nullopt);
  EXPECT_EQ(one.sync(101s), std::nullopt) << "no write yet";
}

TEST(local_deadline, f102_requests_back_to_back_prove_nothing_of_each_other) {
  script one = connected();
  for (instant now = 101s; now < 101s + relay; now += 100ms) {
    EXPECT_EQ(one.write(now), 100s + ahead) << now.count();
  }
}

TEST(local_deadline, f141_a_request_is_proven_by_one_a_relay_delay_later_and_one_behind_that) {
  script one = connected();
  one.write(101s);
  EXPECT_EQ(one.write(101s + relay), 100s + ahead) << "its answer may be there before the follower's word";
  EXPECT_EQ(one.write(101s + relay), 101s + ahead);
}

TEST(local_deadline, f141_a_nanosecond_too_early_is_too_early) {
  script one = connected();
  one.write(101s);
  one.write(101s + relay - 1ns);
  EXPECT_EQ(one.write(101s + relay), 100s + ahead);
}

TEST(local_deadline, f141_the_relay_delay_counts_from_the_answer_not_from_the_sending) {
  script one = connected();
  const std::uint64_t slow = one.send(kind::write, 101s);
  EXPECT_EQ(one.deadline.answered(slow, 106s), 100s + ahead);
  one.write(106s + relay - 1ns);
  EXPECT_EQ(one.write(107s), 100s + ahead);
  one.write(106s + relay);
  EXPECT_EQ(one.write(106s + relay), 101s + ahead);
}

TEST(local_deadline, f141_the_last_of_the_three_is_sent_behind_the_answer_of_the_second) {
  script one = connected();
  one.write(101s);
  const std::uint64_t second = one.send(kind::write, 103s);
  const std::uint64_t third = one.send(kind::write, 103s);
  EXPECT_EQ(one.deadline.answered(second, 104s), 100s + ahead);
  EXPECT_EQ(one.deadline.answered(third, 104s), 100s + ahead) << "it may have overtaken the follower's word";
  EXPECT_EQ(one.write(104s), 101s + ahead);
}

TEST(local_deadline, a_chain_does_not_reach_over_a_reconnect) {
  script one = connected();
  one.write(101s);
  one.write(103s);
  one.connect();
  EXPECT_EQ(one.write(104s), 100s + ahead);
}

TEST(local_deadline, after_a_reconnect_the_latest_failed_request_is_proven_by_the_first_answer) {
  script one = connected();
  one.write(101s);
  const std::uint64_t lost = one.send(kind::sync, 105s);
  const std::uint64_t queued = one.send(kind::sync, 106s);
  one.deadline.failed(lost, true);
  one.deadline.failed(queued, true);
  one.connect();
  EXPECT_EQ(one.write(107s), 106s + ahead);
}

TEST(local_deadline, a_failure_behind_a_connect_says_nothing_of_that_connection) {
  script one = connected();
  one.write(101s);
  one.connect();
  const std::uint64_t late = one.send(kind::sync, 105s);
  one.write(106s);
  one.deadline.failed(late, true);
  EXPECT_EQ(one.write(107s), 100s + ahead);
}

TEST(local_deadline, a_failure_between_a_connect_and_its_first_answer_says_nothing_of_that_connection) {
  script one = connected();
  const std::uint64_t late = one.send(kind::sync, 105s);
  one.deadline.failed(late, true);
  EXPECT_EQ(one.write(106s), 100s + ahead);
}

TEST(local_deadline, a_refusal_by_a_follower_says_nothing_of_a_reconnect) {
  script one = connected();
  one.deadline.failed(one.send(kind::write, 105s), false);
  one.connect();
  EXPECT_EQ(one.write(106s), 100s + ahead);
}

TEST(local_deadline, a_request_that_waits_for_the_connection_is_its_first) {
  script one = connected();
  const std::uint64_t queued = one.send(kind::write, 105s);
  one.connect();
  EXPECT_EQ(one.deadline.answered(queued, 106s), 100s + ahead);
}

TEST(local_deadline, of_an_adopted_handle_only_a_chain_of_requests_proves) {
  script one({10s, 2s, 1s}, true);
  one.connect();
  EXPECT_EQ(one.write(101s), std::nullopt);
  EXPECT_EQ(one.write(101s + relay), std::nullopt);
  EXPECT_EQ(one.write(101s + relay), 101s + ahead);
}

// ---- the quorum

TEST(local_deadline, f142_it_is_not_beyond_what_the_last_answered_write_allows) {
  script one = connected();
  one.write(101s);
  for (instant now = 102s; now < 120s; now += 1s) {
    const auto proven = one.sync(now);
    ASSERT_TRUE(proven);
    EXPECT_LE(*proven, 101s + ahead) << "the leader may have been deposed since";
  }
  EXPECT_GT(*one.write(120s), 110s + ahead);
}

TEST(local_deadline, f142_a_write_that_is_not_answered_counts_for_nothing) {
  script one = connected();
  one.write(101s);
  one.send(kind::write, 102s);
  one.sync(103s);
  one.sync(105s);
  EXPECT_EQ(one.sync(105s), 101s + ahead);
}

// ---- the timeout

TEST(local_deadline, f140_a_lowered_timeout_moves_it_back_to_what_the_last_answer_allows) {
  script one({20s, 2s, 1s});
  one.connect(20s);
  one.write(101s);
  one.sync(108s);
  EXPECT_EQ(one.deadline.connected(4s), 108s + 4s - 4ms - 1s);
  EXPECT_EQ(one.deadline.timeout(), 4s);
  EXPECT_EQ(one.deadline.longest_timeout(), 20s);
}

TEST(local_deadline, f140_a_raised_timeout_counts_as_the_least_that_was_granted) {
  script one({20s, 2s, 1s});
  one.connect(4s);
  EXPECT_EQ(one.write(101s), 100s + 4s - 4ms - 1s);
  one.connect(20s);
  EXPECT_EQ(one.write(102s), 100s + 4s - 4ms - 1s) << "a late touch, or a new leader, may use the older one";
  EXPECT_EQ(one.deadline.timeout(), 4s);
}

TEST(local_deadline, f140_a_new_session_knows_nothing_of_the_timeouts_of_the_last_one) {
  script one({20s, 2s, 1s});
  one.connect(4s);
  one.deadline.opened(200s, false);
  EXPECT_EQ(one.deadline.connected(20s), std::nullopt);
  EXPECT_EQ(one.write(201s), 200s + 20s - 20ms - 1s);
}

TEST(local_deadline, without_an_answer_a_lowered_timeout_has_nothing_to_move) {
  script one({20s, 2s, 1s});
  one.connect(20s);
  EXPECT_EQ(one.deadline.connected(4s), std::nullopt);
}

TEST(local_deadline, a_timeout_that_the_servers_raise_says_what_their_tick_may_be) {
  script raised({2s, 0s, 0s});
  raised.connect(8s);
  EXPECT_EQ(raised.deadline.terms().tick, 4s);
  script adopted({10s, 0s, 0s}, true);
  adopted.connect(8s);
  EXPECT_EQ(adopted.deadline.terms().tick, 4s) << "what was asked for is not known";
  script granted({8s, 0s, 0s});
  granted.connect(8s);
  EXPECT_EQ(granted.deadline.terms().tick, 3s);
  script told({2s, 1s, 0s});
  told.connect(8s);
  EXPECT_EQ(told.deadline.terms().tick, 1s);
}

TEST(local_deadline, a_timeout_once_granted_is_asked_for_again_and_is_not_a_raised_one) {
  script one({20s, 0s, 0s});
  one.connect(4s);
  one.connect(4s);
  EXPECT_EQ(one.deadline.terms().tick, 2s);
  one.connect(6s);
  EXPECT_EQ(one.deadline.terms().tick, 3s) << "the client has asked for 4 s";
}

// ---- what is worth asking

TEST(local_deadline, another_request_gains_what_the_last_answer_lets_it_prove) {
  script one = connected();
  one.write(101s);
  EXPECT_EQ(one.deadline.gain_of_another(), 0s);
  one.sync(103s);
  EXPECT_EQ(one.deadline.gain_of_another(), 1s) << "101 s instead of 100 s";
  const std::uint64_t third = one.send(kind::sync, 103s);
  EXPECT_EQ(one.deadline.gain_of_another(), 0s) << "it is under way";
  one.deadline.answered(third, 103s);
  EXPECT_EQ(one.deadline.gain_of_another(), 0s);
}

TEST(local_deadline, the_next_step_is_a_relay_delay_behind_the_first_answer_that_is_not_proven) {
  script one = connected();
  one.write(101s);
  EXPECT_EQ(one.deadline.next_step(), 101s + relay);
  one.sync(103s);
  one.sync(103s);
  EXPECT_EQ(one.deadline.next_step(), 103s + relay);
}

TEST(local_deadline, the_last_sending_is_what_the_next_beat_counts_from) {
  script one = connected();
  EXPECT_EQ(one.deadline.pace().last(), 100s);
  EXPECT_EQ(one.deadline.pace().last_write(), std::nullopt);
  one.write(101s);
  one.sync(102s);
  EXPECT_EQ(one.deadline.pace().last(), 102s);
  EXPECT_EQ(one.deadline.pace().last_write(), 101s);
}

TEST(local_deadline, f174_what_was_refused_puts_no_beat_off_and_what_failed_with_the_connection_does) {
  script one = connected();
  one.write(101s);
  one.deadline.failed(one.send(kind::write, 102s), false);
  one.send(kind::write, 103s);
  EXPECT_EQ(one.deadline.pace().last(), 102s) << "it is a beat's interval behind the first that was refused";
  one.sync(104s);
  EXPECT_EQ(one.deadline.pace().last(), 104s);
  EXPECT_EQ(one.deadline.pace().last_write(), 102s) << "no write was answered since";
  one.deadline.failed(one.send(kind::write, 105s), true);
  EXPECT_EQ(one.deadline.pace().last(), 105s);
}

TEST(local_deadline, what_was_not_sent_or_is_answered_twice_proves_nothing) {
  script one = connected();
  EXPECT_EQ(one.deadline.answered(9, 101s), std::nullopt);
  const std::uint64_t request = one.send(kind::write, 101s);
  EXPECT_TRUE(one.deadline.answered(request, 101s));
  EXPECT_EQ(one.deadline.answered(request, 101s), std::nullopt);
}

TEST(local_deadline, before_the_first_connect_nothing_is_proven) {
  script one;
  EXPECT_EQ(one.write(101s), std::nullopt);
}

TEST(local_deadline, a_busy_session_keeps_few_answers_and_loses_little_by_it) {
  script one = connected();
  for (instant now = 101s; now < 131s; now += 100us) {
    const auto proven = one.write(now);
    ASSERT_TRUE(proven);
    if (now > 105s) {
      ASSERT_GE(*proven, now - relay - 25ms + ahead) << now.count();
    }
  }
}

/// Requests at odd times with odd answer times: never later than the third last sending, or the handle's opening, allows.
TEST(local_deadline, f101_it_never_goes_beyond_what_was_sent_a_relay_delay_ago) {
  script one = connected();
  instant now = 101s;
  std::vector<std::pair<instant, instant>> answered;  // sent, seen
  for (std::uint64_t step = 1; step < 2000; ++step) {
    now += std::chrono::milliseconds(step * 7919 % 1300);
    const instant sent = now;
    const std::uint64_t request = one.send(kind::write, sent);
    now += std::chrono::milliseconds(step * 104729 % 700);
    const auto proven = one.deadline.answered(request, now);
    ASSERT_TRUE(proven);
    instant allowed = 100s;
    for (const auto& j : answered) {
      for (const auto& i : answered) {
        if (j.second <= sent && j.first >= i.second + relay) {
          allowed = std::max(allowed, i.first);
        }
      }
    }
    ASSERT_LE(*proven, allowed + ahead);
    ASSERT_GE(*proven, allowed + ahead - 10ms);
    answered.emplace_back(sent, now);
    if (answered.size() > 30) {
      answered.erase(answered.begin());
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
