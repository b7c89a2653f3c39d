#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// What is said of nodes of which no server has said that they are gone; and answers that come late.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::connection_state;
using test_support::asked_lock;
using test_support::asked_release;
using test_support::expect_not_in_time;
using test_support::scripted_port;

/// Two holds that were asked for at 100 s, so the local deadline is 103 s; then the servers go out of reach.
struct two_holds_out_of_reach {
  explicit two_holds_out_of_reach(bool handle_is_adopted = false)
      : port(scripted_port::default_config(), handle_is_adopted) {
    port.connect();
    one = port.acquire("/l");
    other = port.acquire("/m");
    port.answer_all();
    if (port.adopted()) {
      test_support::answer_until_answered(port, *other);
    }
    EXPECT_TRUE(one->hold && other->hold);
    EXPECT_EQ(one->hold->valid_until(), instant(103s));
    port.disconnect();
  }

  scripted_port port;
  std::shared_ptr<asked_lock> one;
  std::shared_ptr<asked_lock> other;
};

/// The same, and the first one is given back.
struct given_back_out_of_reach : two_holds_out_of_reach {
  using two_holds_out_of_reach::two_holds_out_of_reach;
  const std::shared_ptr<asked_release> release = port.release(one);
};

void expect_unconfirmed(const asked_release& release) {
  EXPECT_EQ(release.answers, 1);
  EXPECT_EQ(release.error, errc::release_unconfirmed);
}

// ---- a release at the deadline

TEST(session_release, one_not_confirmed_by_the_deadline_says_so_though_another_grant_is_lost_then) {
  given_back_out_of_reach at;
  at.port.advance_to(103s - 1ns);
  EXPECT_EQ(at.release->answers, 0);
  at.port.advance_to(103s);
  EXPECT_EQ(at.other->hold->why_lost(), loss_reason::deadline_passed);
  expect_unconfirmed(*at.release);
}

TEST(session_release, it_is_unconfirmed_when_a_question_to_the_other_grant_saw_the_deadline_pass_first) {
  given_back_out_of_reach at;
  at.port.now = 103s;
  EXPECT_FALSE(at.other->hold->held_at(at.port.now));
  at.port.engine.on_timer(at.port.now);
  expect_unconfirmed(*at.release);
}

TEST(session_release, it_is_unconfirmed_when_the_other_grants_release_saw_the_deadline_pass_first) {
  given_back_out_of_reach at;
  at.port.now = 104s;
  const auto late = at.port.release(at.other);
  expect_unconfirmed(*at.release);
  EXPECT_EQ(late->answers, 1);
  EXPECT_EQ(late->error, errc::lost);
}

TEST(session_release, it_is_unconfirmed_when_no_other_grant_stands) {
  given_back_out_of_reach at;
  const auto second = at.port.release(at.other);
  at.port.advance_to(103s);
  expect_unconfirmed(*at.release);
  expect_unconfirmed(*second);
  EXPECT_TRUE(at.port.lost.empty()) << "both were given back in time";
}

TEST(session_release, it_is_unconfirmed_on_an_adopted_handle_too_and_the_removal_goes_on) {
  given_back_out_of_reach at(true);
  at.port.advance_to(103s);
  EXPECT_EQ(at.other->hold->why_lost(), loss_reason::deadline_passed);
  expect_unconfirmed(*at.release);
  at.port.connect();
  at.port.answer_all();
  EXPECT_TRUE(at.port.nodes_under("/l").empty());
  at.port.advance_to(106s);
  at.port.answer_all();
  EXPECT_TRUE(at.port.nodes_under("/m").empty()) << "of the hold that was lost: when its margin is over";
  EXPECT_EQ(at.release->answers, 1);
}

TEST(session_release, a_servers_word_that_the_session_is_over_confirms_it) {
  given_back_out_of_reach at;
  at.port.session_event(connection_state::expired);
  EXPECT_EQ(at.release->answers, 1);
  EXPECT_FALSE(at.release->error) << at.release->error.message();
}

TEST(session_release, an_answer_that_comes_after_the_deadline_confirms_nothing_that_was_lost) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.answer_all();
  port.now = 103s;
  auto release = port.release(lock);
  EXPECT_EQ(release->answers, 1);
  EXPECT_EQ(release->error, errc::lost);
}

// ---- a close after a loss

/// The close is told this with the end of the second handle, the last one.
void expect_last_closed(scripted_port& port, std::error_code told) {
  EXPECT_TRUE(port.closed_with.empty());
  port.closed_by_client(2, false);
  EXPECT_EQ(port.closed_with, std::vector{told});
}

void expect_close_tells(scripted_port& port, std::error_code told) {
  port.engine.close(port.now + 5s, port.now);
  expect_last_closed(port, told);
}

TEST(session_close, right_after_a_loss_by_deadline_without_a_server_it_is_unconfirmed) {
  two_holds_out_of_reach at;
  at.port.advance_to(103s);
  ASSERT_EQ(at.port.opened.size(), 2U);
  at.port.engine.close(108s, at.port.now);
  at.port.closed_by_client(1, false);
  expect_last_closed(at.port, errc::release_unconfirmed);
}

TEST(session_close, it_is_unconfirmed_as_well_when_the_lost_sessions_handle_is_closed_already) {
  two_holds_out_of_reach at;
  at.port.advance_to(103s);
  at.port.closed_by_client(1, false);
  expect_close_tells(at.port, errc::release_unconfirmed);
}

TEST(session_close, once_the_servers_must_have_ended_the_lost_session_nothing_is_unconfirmed) {
  two_holds_out_of_reach at;
  at.port.advance_to(103s);
  at.port.closed_by_client(1, false);
  at.port.advance_to(103s + 2994ms + 6s);  // its handle was closed when the margin was over
  expect_close_tells(at.port, {});
}

TEST(session_close, after_an_expiry_that_a_server_has_told_nothing_is_unconfirmed) {
  two_holds_out_of_reach at;
  at.port.session_event(connection_state::expired);
  at.port.closed_by_client(1, false);
  expect_close_tells(at.port, {});
}

// ---- F33

TEST(session_limit, f33_a_wait_ends_at_its_steady_instant_and_at_no_other) {
  scripted_port port;
  port.others_create("/l/x-lock-0000000001");
  port.connect();
  auto lock = port.acquire("/l", 130s);
  while (port.now < 130s) {
    EXPECT_EQ(lock->answers, 0) << port.now.count();
    port.answer_all();
    port.advance_to(std::min(*port.engine.next_timer(), instant(130s)));
  }
  expect_not_in_time(*lock);
}

// ---- F85: a late answer

TEST(session_answer, f85_a_create_of_an_abandoned_attempt_that_is_done_late_is_followed_by_removal) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  ASSERT_EQ(port.asked(), "create list");
  port.abandon(lock);
  EXPECT_EQ(lock->answers, 1);
  EXPECT_EQ(lock->error, errc::abandoned);
  EXPECT_EQ(port.locks.contender_count(), 1U) << "until it is known to be gone";
  port.advance_to(101s + 500ms);
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(lock->answers, 1) << "and no grant for it";
}

TEST(session_answer, f85_a_create_whose_late_answer_is_lost_is_looked_for_after_the_reconnect) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.abandon(lock);
  const std::string name = port.request<client::request::create>(0).path;
  port.disconnect();
  port.others_create(name + "0000000005");  // it was done all the same
  port.connect();
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

}  // namespace
}  // namespace zklock::detail
