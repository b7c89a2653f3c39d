#include "src/engine/hold.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/hold_of.hpp"

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

hold make_hold(const std::shared_ptr<session_deadline>& session) {
  return hold(test_support::hold_of(session, {42}, 7, "/locks/a", "/locks/a/x-lock-0000000001"));
}

std::shared_ptr<session_deadline> session_until(instant deadline) {
  auto session = std::make_shared<session_deadline>();
  EXPECT_TRUE(session->extend(deadline));
  return session;
}

TEST(session_deadline, nothing_is_covered_before_the_first_answer) {
  session_deadline session;
  EXPECT_FALSE(session.is_ahead_of(0s));
  EXPECT_EQ(session.ended_by(), loss_reason::none) << "asking without consequences leaves it as it is";
  EXPECT_TRUE(session.extend(10s));
  EXPECT_TRUE(session.covers(9s));
}

TEST(session_deadline, it_covers_until_its_deadline_and_not_at_it) {
  session_deadline session;
  EXPECT_TRUE(session.extend(10s));
  EXPECT_EQ(session.deadline(), instant(10s));
  EXPECT_TRUE(session.covers(10s - 1ns));
  EXPECT_FALSE(session.covers(10s));
}

TEST(session_deadline, its_deadline_never_goes_back) {
  session_deadline session;
  EXPECT_TRUE(session.extend(10s));
  EXPECT_TRUE(session.extend(5s)) << "no error, and no effect";
  EXPECT_EQ(session.deadline(), instant(10s));
}

TEST(session_deadline, an_odd_nanosecond_is_rounded_to_the_safe_side) {
  session_deadline session;
  EXPECT_TRUE(session.extend(10s + 1ns));
  EXPECT_EQ(session.deadline(), instant(10s));
  EXPECT_EQ(session.ended_by(), loss_reason::none);
}

TEST(session_deadline, f17_once_it_was_found_over_it_stays_over) {
  session_deadline session;
  EXPECT_TRUE(session.extend(10s));
  EXPECT_FALSE(session.covers(11s));
  EXPECT_EQ(session.ended_by(), loss_reason::deadline_passed);
  EXPECT_FALSE(session.extend(20s));
  EXPECT_FALSE(session.covers(9s));
  EXPECT_FALSE(session.is_ahead_of(9s));
}

TEST(session_deadline, a_question_without_consequences_leaves_it_to_be_extended) {
  session_deadline session;
  EXPECT_TRUE(session.extend(10s));
  EXPECT_FALSE(session.is_ahead_of(11s));
  EXPECT_TRUE(session.extend(20s));
  EXPECT_TRUE(session.covers(11s));
}

TEST(session_deadline, it_ends_with_a_reason_before_its_deadline) {
  session_deadline session;
  EXPECT_TRUE(session.extend(10s));
  session.end(loss_reason::session_expired);
  EXPECT_FALSE(session.covers(1s));
  EXPECT_FALSE(session.extend(20s));
  EXPECT_EQ(session.ended_by(), loss_reason::session_expired);
  session.end(loss_reason::session_closed);
  EXPECT_EQ(session.ended_by(), loss_reason::session_expired) << "the first word counts";
}

TEST(hold, f16_whether_it_is_held_is_read_off_the_clock_at_each_question) {
  hold one = make_hold(session_until(10s));
  EXPECT_TRUE(one.held_at(9s));
  EXPECT_EQ(one.why_lost(), loss_reason::none);
  EXPECT_FALSE(one.held_at(10s));
  EXPECT_EQ(one.why_lost(), loss_reason::deadline_passed);
}

TEST(hold, f17_once_reported_lost_it_is_never_held_again) {
  const auto session = session_until(10s);
  hold one = make_hold(session);
  hold other = make_hold(session);
  EXPECT_FALSE(one.held_at(12s));
  EXPECT_FALSE(session->extend(20s));
  EXPECT_FALSE(one.held_at(9s));
  EXPECT_FALSE(other.held_at(9s)) << "the deadline is the session's";
}

TEST(hold, f45_its_token_and_names_stay_also_after_a_loss) {
  hold one = make_hold(session_until(10s));
  EXPECT_FALSE(one.held_at(11s));
  EXPECT_EQ(one.token(), fencing_token{42});
  EXPECT_EQ(one.path(), "/locks/a");
  EXPECT_EQ(one.node(), "/locks/a/x-lock-0000000001");
  EXPECT_EQ(one.contender(), 7U);
  EXPECT_EQ(one.valid_until(), instant(10s));
}

TEST(hold, it_is_given_back_once_and_that_is_no_loss) {
  hold one = make_hold(session_until(10s));
  EXPECT_TRUE(one.end_by_release(5s));
  EXPECT_FALSE(one.end_by_release(5s));
  EXPECT_FALSE(one.held_at(5s));
  EXPECT_FALSE(one.end_by_loss(loss_reason::session_expired));
  EXPECT_EQ(one.why_lost(), loss_reason::none);
}

TEST(hold, a_release_after_the_deadline_finds_it_lost) {
  hold one = make_hold(session_until(10s));
  EXPECT_FALSE(one.end_by_release(11s));
  EXPECT_EQ(one.why_lost(), loss_reason::deadline_passed);
}

TEST(hold, the_first_loss_counts) {
  hold one = make_hold(session_until(10s));
  EXPECT_TRUE(one.end_by_loss(loss_reason::node_removed));
  EXPECT_FALSE(one.end_by_loss(loss_reason::session_expired));
  EXPECT_EQ(one.why_lost(), loss_reason::node_removed);
  EXPECT_FALSE(one.held_at(1s));
}

TEST(hold, it_takes_its_reason_from_the_session_that_has_ended) {
  const auto session = session_until(10s);
  hold one = make_hold(session);
  session->end(loss_reason::session_closed);
  EXPECT_FALSE(one.held_at(1s));
  EXPECT_EQ(one.why_lost(), loss_reason::session_closed);
}

TEST(hold, f17_f98_threads_that_extend_and_threads_that_ask_agree_for_good) {
  for (int round = 0; round < 200; ++round) {
    const auto session = session_until(10s);
    hold one = make_hold(session);
    std::atomic<bool> go{false};
    std::atomic<bool> extended{false};
    std::atomic<int> held_after_loss{0};
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      while (!go) {}
      extended = session->extend(30s);
    });
    for (int asker = 0; asker < 2; ++asker) {
      threads.emplace_back([&] {
        while (!go) {}
        bool lost = false;
        for (int question = 0; question < 50; ++question) {
          const bool held = one.held_at(20s);
          held_after_loss += lost && held ? 1 : 0;
          lost = lost || !held;
        }
      });
    }
    go = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(held_after_loss, 0);
    EXPECT_EQ(one.held_at(20s), extended) << "either the extension came first, for every thread, or the loss did";
    EXPECT_EQ(session->deadline(), extended ? instant(30s) : instant(10s));
  }
}

TEST(hold, threads_that_release_and_lose_it_end_it_in_one_way) {
  for (int round = 0; round < 200; ++round) {
    hold one = make_hold(session_until(10s));
    std::atomic<bool> go{false};
    std::atomic<int> ends{0};
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      while (!go) {}
      ends += one.end_by_release(5s) ? 1 : 0;
    });
    threads.emplace_back([&] {
      while (!go) {}
      ends += one.end_by_loss(loss_reason::session_expired) ? 1 : 0;
    });
    go = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(ends, 1);
    EXPECT_FALSE(one.held_at(5s));
  }
}

}  // namespace
}  // namespace zklock::detail
