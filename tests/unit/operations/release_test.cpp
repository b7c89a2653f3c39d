#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// A release: one request, repeated until the node is known to be gone.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::hold_at_once;
using test_support::scripted_port;

TEST(session_release, it_is_one_request_and_confirmed_by_its_answer) {
  scripted_port port;
  auto lock = hold_at_once(port);
  auto release = port.release(lock);
  EXPECT_EQ(port.asked(), "remove");
  EXPECT_EQ(port.path_of(0), lock->hold->node());
  EXPECT_EQ(release->answers, 0);
  port.answer();
  EXPECT_EQ(release->answers, 1);
  EXPECT_FALSE(release->error);
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST(session_release, f34_the_removal_is_repeated_until_it_is_done) {
  scripted_port port;
  auto lock = hold_at_once(port);
  auto release = port.release(lock);
  for (int outage = 0; outage < 3; ++outage) {
    port.disconnect();
    EXPECT_EQ(port.asked(), "nothing");
    port.connect();
    ASSERT_EQ(port.asked(), "remove");
  }
  EXPECT_EQ(release->answers, 0);
  port.answer();
  EXPECT_EQ(release->answers, 1);
  EXPECT_FALSE(release->error);
  EXPECT_TRUE(port.nodes_under("/l").empty());
}

TEST(session_release, f35_f182_a_node_that_is_gone_already_is_released_and_was_lost) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.others_remove(lock->hold->node());
  auto release = port.release(lock);
  port.answer();
  EXPECT_EQ(release->error, errc::lost);
}

TEST(session_release, unconfirmed_at_the_local_deadline_it_says_so_and_goes_on) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.now = 101s;
  auto release = port.release(lock);
  port.advance_to(103s - 1ns);
  EXPECT_EQ(release->answers, 0);
  port.advance_to(103s);
  EXPECT_EQ(release->error, errc::release_unconfirmed);
  EXPECT_TRUE(port.closing.empty()) << "nothing was lost";
  port.answer_all();
  EXPECT_EQ(release->answers, 1);
  EXPECT_TRUE(port.nodes_under("/l").empty());
}

TEST(session_release, of_a_hold_that_was_lost_it_says_lost_and_sends_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.session_event(client::connection_state::expired);
  auto release = port.release(lock);
  EXPECT_EQ(release->error, errc::lost);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_release, past_the_deadline_it_finds_the_loss_itself) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.now = 103s;
  auto release = port.release(lock);
  EXPECT_EQ(release->error, errc::lost);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
}

TEST(session_release, a_removal_that_is_forbidden_is_told) {
  scripted_port port;
  auto lock = hold_at_once(port);
  auto release = port.release(lock);
  port.answer(code::no_auth);
  EXPECT_EQ(release->error, errc::permission_denied);
  EXPECT_EQ(release->code, code::no_auth);
  EXPECT_TRUE(port.warned_of("ZNOAUTH"));
}

TEST(session_release, a_session_that_ends_takes_the_node_with_it) {
  scripted_port port;
  auto lock = hold_at_once(port);
  auto release = port.release(lock);
  port.session_event(client::connection_state::expired);
  EXPECT_EQ(release->answers, 1);
  EXPECT_FALSE(release->error);
}

TEST(session_release, f44_a_second_one_of_the_same_hold_says_lost_and_sends_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.release(lock);
  auto second = port.release(lock);
  EXPECT_EQ(port.asked(), "remove");
  EXPECT_EQ(second->error, errc::lost);
}

TEST(session_release, it_lets_the_next_acquire_of_the_session_in_by_the_order_of_requests) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.release(lock);
  auto next = port.acquire("/l");
  EXPECT_EQ(port.asked(), "remove create list");
  port.answer_all();
  EXPECT_TRUE(next->hold);
}

}  // namespace
}  // namespace zklock::detail
