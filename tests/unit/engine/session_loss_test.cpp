#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// Loss by the local deadline. T = 6 s, a margin of 2.994 s; what is proven of an instant allows 3 s from it.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::hold_at_once;
using test_support::scripted_port;

TEST(session_loss, f15_a_hold_is_lost_at_its_deadline_not_before_and_without_any_event) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(103s - 1ns);
  EXPECT_TRUE(port.lost.empty());
  EXPECT_TRUE(lock->hold->held_at(port.now));
  port.advance_to(103s);
  ASSERT_EQ(port.lost.size(), 1U);
  EXPECT_EQ(port.lost[0], lock->hold);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_FALSE(lock->hold->held_at(102s)) << "for good";
}

TEST(session_loss, f17_the_session_of_an_own_handle_is_closed_and_waiters_queue_again_in_a_new_one) {
  scripted_port port;
  port.others_create("/m/x-lock-0000000001");
  auto lock = hold_at_once(port);
  auto waiter = port.acquire("/m");
  port.answer_all();
  port.advance_to(105s);  // two creates were answered, both sent at 100 s
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port.opened, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(waiter->answers, 0);
  std::erase_if(port.requests, [](const auto& one) { return one.generation == 1; });  // nothing is heard of them
  EXPECT_EQ(port.asked(), "sync") << "to know when the connection was begun";
  port.answer(code::connection_loss);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), "create list") << "the waiter's alone";
  EXPECT_TRUE(port.path_of(0).starts_with("/m/"));
  EXPECT_EQ(port.requests[0].generation, 2U);
  port.answer_all();
  port.others_remove("/m/x-lock-0000000001");
  port.others_remove("/m/0000000000000abc0000000000000002-lock-0000000005");  // its session has ended
  port.answer_all();
  EXPECT_TRUE(waiter->hold);
  EXPECT_GT(waiter->hold->token(), lock->hold->token());
}

TEST(session_loss, f17_an_answer_that_comes_too_late_saves_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 500ms);
  port.now = 103s;
  port.answer();
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_EQ(port.opened.size(), 2U);
}

TEST(session_loss, f143_the_lost_session_is_closed_when_the_margin_is_over_not_before) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(103s + 2994ms - 1ns);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_TRUE(port.closing.empty()) << "closing lets the next client in, while the holder stops its work";
  port.advance_to(103s + 2994ms);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
}

TEST(session_loss, f143_lost_sessions_are_closed_each_at_the_end_of_its_own_margin) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(103s);
  std::erase_if(port.requests, [](const auto& one) { return one.generation == 1; });
  port.connect(0x200, 1s);
  auto second = port.acquire("/m");
  port.answer_all();
  ASSERT_TRUE(second->hold);
  const instant due = second->hold->valid_until() + port.engine.deadline().local().terms().margin;
  ASSERT_LT(due, instant(105s)) << "the margin of a shorter timeout is over sooner";
  port.advance_to(due);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{2}));
  port.advance_to(106s);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{2, 1}));
}

TEST(session_loss, a_close_does_not_wait_for_a_margin) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(104s);
  port.engine.close(port.now + 5s, port.now);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1, 2}));
  port.closed_by_client(1, false);
  port.closed_by_client(2, false);
  EXPECT_EQ(port.closed_with.size(), 1U);
}

TEST(session_loss, a_loss_that_the_holder_has_found_itself_ends_the_session_too) {
  scripted_port port;
  auto lock = hold_at_once(port);
  EXPECT_FALSE(lock->hold->held_at(103s)) << "asked before the timer ran";
  port.now = 102s;  // whatever the timer's clock says
  port.engine.on_timer(port.now);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_EQ(port.opened.size(), 2U);
}

TEST(session_loss, with_only_waiters_nothing_is_given_up_however_long_the_silence) {
  scripted_port port;
  port.others_create("/l/x-lock-0000000001");
  port.connect();
  auto waiter = port.acquire("/l");
  port.answer_all();
  port.advance_to(150s);
  EXPECT_TRUE(port.closing.empty());
  EXPECT_EQ(waiter->answers, 0);
  port.answer_all();  // the heartbeats of long ago
  port.others_remove("/l/x-lock-0000000001");
  EXPECT_EQ(waiter->answers, 0) << "the deadline is not ahead";
  test_support::answer_until_answered(port, *waiter);
  EXPECT_TRUE(waiter->hold);
}

TEST(session_loss, f143_the_other_parts_of_a_lost_multi_lock_stand_until_the_margin_is_over) {
  scripted_port port(scripted_port::default_config(), true);
  port.connect();
  auto lock = port.acquire_all({{"/l", {recipes::contender_kind::mutex}}, {"/m", {recipes::contender_kind::mutex}}});
  test_support::answer_until_answered(port, *lock);
  ASSERT_TRUE(lock->hold);
  port.answer_all();
  const instant lost_at = lock->hold->valid_until();
  port.advance_to(lost_at);
  ASSERT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  port.others_remove(lock->hold->parts()[0]->node());
  port.answer_all();
  const instant margin_over = lost_at + port.engine.deadline().local().terms().margin;
  port.advance_to(margin_over - 1ns);
  EXPECT_EQ(port.nodes_under("/m").size(), 1U) << "while the holder stops its work";
  port.advance_to(margin_over);
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/m").empty());
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST(session_loss, on_an_adopted_handle_the_session_stays_and_the_node_is_removed_in_it) {
  scripted_port port(scripted_port::default_config(), true);
  auto lock = hold_at_once(port);
  port.advance_to(103s);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_TRUE(port.closing.empty());
  EXPECT_EQ(port.opened.size(), 1U);
  port.advance_to(103s + 2994ms - 1ns);
  EXPECT_EQ(port.asked().find("remove"), std::string::npos) << "F143: while the holder stops its work";
  port.advance_to(103s + 2994ms);
  EXPECT_NE(port.asked().find("remove"), std::string::npos) << port.asked();
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  EXPECT_EQ(port.locks.contender_count(), 0U);
  auto again = port.acquire("/l");
  test_support::answer_until_answered(port, *again);
  ASSERT_TRUE(again->hold);
  EXPECT_GT(again->hold->token(), lock->hold->token()) << "F14: it takes part again";
  EXPECT_TRUE(again->hold->held_at(port.now));
}

}  // namespace
}  // namespace zklock::detail
