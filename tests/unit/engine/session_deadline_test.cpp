#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// The local deadline, and what it means for grants. T = 6 s, a tick of 0.8 s, a margin of 2.994 s throughout: a
/// holder sends each 0.5 s; what is proven of an instant allows 3 s from it; a relay delay is 0.44 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::answer;
using test_support::asked_lock;
using test_support::beat_twice;
using test_support::hold_at_once;
using test_support::reconnect;
using test_support::scripted_port;

session_config with(std::chrono::milliseconds margin, std::chrono::milliseconds tick = 800ms) {
  session_config config = scripted_port::default_config();
  config.margin = margin;
  config.tick = tick;
  return config;
}

// ---- the deadline

TEST(session_deadline, in_a_new_session_it_counts_from_the_opening_of_the_handle) {
  scripted_port port;
  port.now = 101s;
  auto lock = hold_at_once(port);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
}

TEST(session_deadline, f142_syncs_alone_do_not_move_it_beyond_the_last_write) {
  scripted_port port;
  auto lock = hold_at_once(port);
  beat_twice(port);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << "the leader may have been deposed behind the create";
  port.advance_to(101s + 500ms);
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(103s + 500ms)) << "the write's answer lets what was heard count";
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s));
}

TEST(session_deadline, f101_a_read_moves_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  beat_twice(port);
  port.advance_to(101s + 500ms);
  ASSERT_EQ(port.asked(), "check");
  port.acquire("/m", {}, true);
  port.answer(code::connection_loss);
  port.answer(code::connection_loss);
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
}

TEST(session_deadline, f103_a_connected_and_an_event_move_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(101s);
  reconnect(port);
  port.others_set("/l/anything");
  EXPECT_EQ(lock->hold->valid_until(), instant(103s));
  ASSERT_EQ(port.asked(), "check");
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s)) << "the beat at 101 s had failed before the reconnect";
}

TEST(session_deadline, f101_f154_an_answer_that_was_not_the_leaders_moves_nothing) {
  for (const code with :
       {code::connection_loss, code::operation_timeout, code::session_moved, code::throttled, code::not_read_only,
        code::unimplemented, code::marshalling_error, code::no_auth, code::invalid_acl}) {
    scripted_port port;
    auto lock = hold_at_once(port);
    beat_twice(port);
    port.advance_to(101s + 500ms);
    ASSERT_EQ(port.asked(), "check");
    port.answer(with);
    EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << recipes::name(with);
  }
}

TEST(session_deadline, a_refusal_by_the_leader_moves_it_as_well) {
  scripted_port port;
  auto lock = hold_at_once(port);
  beat_twice(port);
  port.advance_to(101s + 500ms);
  port.answer(code::no_node);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s + 500ms));
}

// ---- what the servers grant

TEST(session_deadline, f140_a_lowered_timeout_moves_it_back) {
  scripted_port port(with(500ms));
  port.connect(0x100, 6s);
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(105s + 494ms));
  port.disconnect();
  port.connect(0x100, 3s);
  EXPECT_EQ(lock->hold->valid_until(), instant(102s + 497ms)) << "100 s is when the last answered request was sent";
  port.advance_to(102s + 497ms);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
}

TEST(session_deadline, f140_a_raised_timeout_does_not_move_it) {
  scripted_port port(with(500ms));
  port.connect(0x100, 3s);
  auto lock = port.acquire("/l");
  port.answer_all();
  port.disconnect();
  port.connect(0x100, 6s);
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(102s + 497ms));
}

TEST(session_deadline, of_another_timeout_than_the_one_asked_for_there_is_one_warning) {
  scripted_port port;
  port.connect(0x100, 12s);
  EXPECT_TRUE(port.warned_of("12000 ms instead of 6000 ms"));
  const std::size_t lines = port.lines.size();
  port.disconnect();
  port.connect(0x100, 12s);
  EXPECT_EQ(port.lines.size(), lines);
}

TEST(session_deadline, f143_a_margin_that_a_lowered_timeout_cannot_give_becomes_the_greatest_with_a_warning) {
  scripted_port port(with(4000ms));
  port.connect(0x100, 3s);
  EXPECT_TRUE(
      port.warned_of("a session timeout of 3000 ms and a tick of 800 ms leave a margin of 1807 ms at the most, "
                     "not 4000 ms"));
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(101s + 190ms)) << "100 s + 2.997 s - 1.807 s";
}

TEST(session_deadline, f143_without_a_word_on_the_tick_a_raised_timeout_doubles_what_is_assumed) {
  scripted_port granted(with(0ms, 0ms));
  granted.connect(0x100, 6s);
  EXPECT_EQ(granted.engine.deadline().local().terms().tick, 3s);
  EXPECT_EQ(granted.engine.deadline().local().terms().margin, 500ms);
  scripted_port raised(with(0ms, 0ms));
  raised.connect(0x100, 12s);
  EXPECT_EQ(raised.engine.deadline().local().terms().tick, 6s);
  EXPECT_EQ(raised.engine.deadline().local().terms().margin, 1s);
}

// ---- grants need a deadline ahead

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
  EXPECT_TRUE(port.lost.empty()) << "nobody was told of the first one";
}

TEST(session_grant, after_losing_a_grant_that_waited_the_limit_still_finds_that_the_queue_was_seen) {
  scripted_port port;
  auto lock = grant_that_waits(port, 105s);
  port.session_event(client::connection_state::expired);
  port.advance_to(105s);
  EXPECT_EQ(lock->answers, 1);
  EXPECT_FALSE(lock->error) << "not in time, but a server had answered this attempt";
}

TEST(session_grant, f31_a_limit_that_meets_a_grant_that_waits_gives_it_up) {
  scripted_port port;
  auto lock = grant_that_waits(port, 105s);
  port.advance_to(105s);
  EXPECT_EQ(lock->answers, 1);
  EXPECT_FALSE(lock->hold);
  EXPECT_FALSE(lock->error);
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

// ---- loss by the deadline

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

TEST(session_loss, f17_the_session_of_an_own_handle_is_closed_and_a_new_one_opened_where_waiters_queue_again) {
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
  EXPECT_EQ(port.asked(), "check") << "to know when the connection was begun";
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
