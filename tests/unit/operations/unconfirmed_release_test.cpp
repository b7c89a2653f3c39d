#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// What is said of nodes of which no server has said that they are gone; and answers that come late.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::connection_state;
using test_support::asked_lock;
using test_support::scripted_port;

struct two_holds {
  std::shared_ptr<asked_lock> one;
  std::shared_ptr<asked_lock> other;
};

/// Asked for at 100 s, so the local deadline is 103 s; then the servers go out of reach.
two_holds hold_two_and_disconnect(scripted_port& port) {
  port.connect();
  two_holds both{port.acquire("/l"), port.acquire("/m")};
  port.answer_all();
  if (port.adopted()) {
    test_support::answer_until_answered(port, *both.other);
  }
  EXPECT_TRUE(both.one->hold && both.other->hold);
  EXPECT_EQ(both.one->hold->valid_until(), instant(103s));
  port.disconnect();
  return both;
}

// ---- a release at the deadline

TEST(session_release, one_that_nobody_has_confirmed_by_the_deadline_says_so_though_another_grant_is_lost_then) {
  scripted_port port;
  auto [one, other] = hold_two_and_disconnect(port);
  auto release = port.release(one);
  port.advance_to(103s - 1ns);
  EXPECT_EQ(release->answers, 0);
  port.advance_to(103s);
  EXPECT_EQ(other->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(release->answers, 1);
  EXPECT_EQ(release->error, errc::release_unconfirmed);
}

TEST(session_release, it_is_unconfirmed_when_a_question_to_the_other_grant_was_the_first_to_see_the_deadline_pass) {
  scripted_port port;
  auto [one, other] = hold_two_and_disconnect(port);
  auto release = port.release(one);
  port.now = 103s;
  EXPECT_FALSE(other->hold->held_at(port.now));
  port.engine.on_timer(port.now);
  EXPECT_EQ(release->answers, 1);
  EXPECT_EQ(release->error, errc::release_unconfirmed);
}

TEST(session_release, it_is_unconfirmed_when_the_other_grants_release_was_the_first_to_see_the_deadline_pass) {
  scripted_port port;
  auto [one, other] = hold_two_and_disconnect(port);
  auto release = port.release(one);
  port.now = 104s;
  auto late = port.release(other);
  EXPECT_EQ(release->error, errc::release_unconfirmed);
  EXPECT_EQ(late->answers, 1);
  EXPECT_EQ(late->error, errc::lost);
}

TEST(session_release, it_is_unconfirmed_when_no_other_grant_stands) {
  scripted_port port;
  auto [one, other] = hold_two_and_disconnect(port);
  auto first = port.release(one);
  auto second = port.release(other);
  port.advance_to(103s);
  EXPECT_EQ(first->error, errc::release_unconfirmed);
  EXPECT_EQ(second->error, errc::release_unconfirmed);
  EXPECT_TRUE(port.lost.empty()) << "both were given back in time";
}

TEST(session_release, it_is_unconfirmed_on_an_adopted_handle_too_and_the_removal_goes_on) {
  scripted_port port(scripted_port::default_config(), true);
  auto [one, other] = hold_two_and_disconnect(port);
  auto release = port.release(one);
  port.advance_to(103s);
  EXPECT_EQ(other->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(release->answers, 1);
  EXPECT_EQ(release->error, errc::release_unconfirmed);
  port.connect();
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  port.advance_to(106s);
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/m").empty()) << "of the hold that was lost: when its margin is over";
  EXPECT_EQ(release->answers, 1);
}

TEST(session_release, a_servers_word_that_the_session_is_over_confirms_it) {
  scripted_port port;
  auto [one, other] = hold_two_and_disconnect(port);
  auto release = port.release(one);
  port.session_event(connection_state::expired);
  EXPECT_EQ(release->answers, 1);
  EXPECT_FALSE(release->error) << release->error.message();
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

TEST(session_close, right_after_a_loss_by_deadline_without_a_server_it_is_unconfirmed) {
  scripted_port port;
  hold_two_and_disconnect(port);
  port.advance_to(103s);
  ASSERT_EQ(port.opened.size(), 2U);
  port.engine.close(108s, port.now);
  port.closed_by_client(1, false);
  EXPECT_TRUE(port.closed_with.empty());
  port.closed_by_client(2, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{errc::release_unconfirmed}));
}

TEST(session_close, it_is_unconfirmed_as_well_when_the_lost_sessions_handle_is_closed_already) {
  scripted_port port;
  hold_two_and_disconnect(port);
  port.advance_to(103s);
  port.closed_by_client(1, false);
  port.engine.close(108s, port.now);
  port.closed_by_client(2, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{errc::release_unconfirmed}));
}

TEST(session_close, once_the_servers_must_have_ended_the_lost_session_nothing_is_unconfirmed) {
  scripted_port port;
  hold_two_and_disconnect(port);
  port.advance_to(103s);
  port.closed_by_client(1, false);
  port.advance_to(103s + 2994ms + 6s);  // its handle was closed when the margin was over
  port.engine.close(115s, port.now);
  port.closed_by_client(2, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}}));
}

TEST(session_close, after_an_expiry_that_a_server_has_told_nothing_is_unconfirmed) {
  scripted_port port;
  hold_two_and_disconnect(port);
  port.session_event(connection_state::expired);
  port.closed_by_client(1, false);
  port.engine.close(108s, port.now);
  port.closed_by_client(2, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}}));
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
  EXPECT_EQ(lock->answers, 1);
  EXPECT_FALSE(lock->error) << "not in time, and the queue was seen";
}

// ---- F85: a late answer

TEST(session_answer, f85_the_create_of_an_abandoned_attempt_that_is_done_late_is_followed_by_its_removal) {
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
