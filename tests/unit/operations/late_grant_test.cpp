#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// Grants need a local deadline ahead.
/// T = 6 s; a holder sends each 0.5 s; what is proven of an instant allows 3 s from it.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using test_support::answer;
using test_support::asked_lock;
using test_support::expect_not_in_time;
using test_support::reconnect;
using test_support::scripted_port;

/// Its create was sent at 100 s, so its answer proves 103 s, but comes at 104 s.
std::shared_ptr<asked_lock> grant_that_waits(scripted_port& port, std::optional<instant> until = {}) {
  port.connect();
  auto lock = port.acquire("/l", until);
  port.now = 104s;
  answer(port, 2);
  EXPECT_EQ(lock->answers, 0);
  return lock;
}

TEST(session_grant, f19_a_grant_that_comes_after_the_deadline_waits_until_the_leader_has_heard) {
  scripted_port port;
  auto lock = grant_that_waits(port);
  ASSERT_EQ(port.asked(), "check") << "at once, not with the next heartbeat";
  port.answer();
  EXPECT_FALSE(lock->hold) << "a follower may not have told its leader";
  port.advance_to(104s + 440ms);
  port.answer();
  EXPECT_FALSE(lock->hold);
  port.answer();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->valid_until(), instant(107s)) << "the leader has heard of the write at 104 s";
  EXPECT_TRUE(lock->hold->held_at(port.now));
}

/// Which makes the lock nodes again, as the one before did: they may have gone with its nodes.
TEST(session_grant, f19_a_multi_locks_grant_that_is_lost_before_it_is_told_is_a_new_try_with_all) {
  scripted_port port;
  port.nodes.clear();
  port.connect();
  auto lock = port.acquire_all({{"/l", {}}, {"/m", {}}});
  while (port.asked() != "get") {  // of the token: all parts are granted
    ASSERT_NE(port.asked(), "nothing");
    port.answer();
  }
  port.now = 104s;
  port.answer();
  ASSERT_EQ(lock->answers, 0) << "the deadline is not ahead";
  port.session_event(client::connection_state::expired);
  ASSERT_EQ(lock->answers, 0);
  port.connect(0x200);
  EXPECT_EQ(port.asked().substr(0, 29), "create create multi list list") << port.asked();
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_TRUE(port.lost.empty()) << "the caller was told of no hold before";
}

TEST(session_grant, f19_a_grant_that_waits_survives_a_reconnect_in_the_same_session) {
  scripted_port port;
  auto lock = grant_that_waits(port);
  port.disconnect();
  EXPECT_EQ(lock->answers, 0);
  port.now = 104s + 200ms;
  port.connect();
  port.advance_to(104s + 500ms);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->valid_until(), instant(107s)) << "the check at 104 s had failed before the reconnect";
}

TEST(session_grant, f01_f170_a_grant_to_a_node_whose_create_was_not_answered_rests_on_the_search) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.lose_answer();
  reconnect(port);
  EXPECT_EQ(port.asked(), "check list");
  port.answer();
  EXPECT_FALSE(lock->hold);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_grant, f19_loss_beats_a_grant_that_waits_and_it_queues_again) {
  scripted_port port;
  auto lock = grant_that_waits(port);
  port.session_event(client::connection_state::expired);
  EXPECT_EQ(lock->answers, 0);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), "create list") << "a new contender in the new session";
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_TRUE(port.lost.empty()) << "no caller was told of the first one";
}

TEST(session_grant, after_losing_a_grant_that_waited_the_limit_still_finds_that_the_queue_was_seen) {
  scripted_port port;
  auto lock = grant_that_waits(port, 105s);
  port.session_event(client::connection_state::expired);
  port.advance_to(105s);
  expect_not_in_time(*lock);
}

TEST(session_grant, f31_a_limit_that_meets_a_grant_that_waits_gives_it_up) {
  scripted_port port;
  auto lock = grant_that_waits(port, 105s);
  port.advance_to(105s);
  expect_not_in_time(*lock);
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(lock->answers, 1);
}

TEST(session_grant, f147_on_an_adopted_handle_the_first_one_waits_for_a_relay_delay) {
  scripted_port port(scripted_port::default_config(), true);
  port.connect();
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_FALSE(lock->hold) << "no opening of the handle to count from";
  port.advance_to(100s + 440ms);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
}

}  // namespace
}  // namespace zklock::detail
