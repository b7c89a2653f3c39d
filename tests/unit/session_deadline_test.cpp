#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/on_a_port.hpp"

/// Heartbeat, local deadline, and what they mean for grants. T = 6 s throughout: a heartbeat every 500 ms, a margin of
/// 1 s, T/3 = 2 s; an answer to a request sent at s after one sent at p proves max(p, s - 2 s) + 5 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::answer;
using test_support::asked_lock;
using test_support::hold_at_once;
using test_support::reconnect;
using test_support::scripted_port;

// ---- the heartbeat

TEST(session_heartbeat, there_is_none_without_contenders) {
  scripted_port port;
  port.connect();
  EXPECT_EQ(port.core.next_timer(), std::nullopt);
  port.advance_to(200s);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_heartbeat, f101_it_is_a_sync_every_twelfth_of_the_timeout_while_there_is_a_contender) {
  scripted_port port;
  auto lock = hold_at_once(port);
  for (instant due = 100s + 500ms; due < 103s; due += 500ms) {
    port.advance_to(due - 1ns);
    EXPECT_EQ(port.asked(), "nothing") << due.count();
    port.advance_to(due);
    ASSERT_NE(port.asked().find("sync"), std::string::npos) << due.count();
    EXPECT_EQ(port.path_of(0), "/");
    port.answer_all();
  }
  port.release(lock);
  port.answer_all();
  port.advance_to(200s);
  EXPECT_EQ(port.asked(), "nothing") << "the last contender is gone";
}

TEST(session_heartbeat, f99_a_waiting_contender_costs_the_sessions_one_heartbeat_and_nothing_else) {
  scripted_port port;
  port.others_create("/l/x-lock-0000000001");
  port.others_create("/m/x-lock-0000000001");
  port.connect();
  port.acquire("/l");
  port.acquire("/m");
  port.answer_all();
  int syncs = 0;
  while (port.now < 110s) {
    port.advance_to(*port.core.next_timer());
    EXPECT_EQ(port.asked(), "sync");
    port.answer_all();
    ++syncs;
  }
  EXPECT_EQ(syncs, 20) << "10 s, one every 500 ms, for two waiters";
}

TEST(session_heartbeat, a_write_puts_it_off) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(100s + 400ms);
  port.acquire("/m");
  port.answer_all();
  port.advance_to(100s + 899ms);
  EXPECT_EQ(port.asked().find("sync"), std::string::npos) << port.asked();
  port.answer_all();
  port.advance_to(100s + 900ms);
  EXPECT_TRUE(port.asked().starts_with("sync")) << port.asked();
}

TEST(session_heartbeat, there_is_no_second_one_before_the_first_is_answered) {
  scripted_port port;
  port.others_create("/l/x-lock-0000000001");
  port.connect();
  port.acquire("/l");
  port.answer_all();
  port.advance_to(110s);
  EXPECT_EQ(port.asked(), "sync");
}

TEST(session_heartbeat, f103_after_a_reconnect_it_comes_at_once) {
  scripted_port port;
  hold_at_once(port);
  port.advance_to(100s + 100ms);
  port.disconnect();
  port.advance_to(100s + 200ms);
  EXPECT_EQ(port.asked(), "nothing") << "nobody to send it to";
  port.connect();
  port.advance_to(100s + 200ms);
  EXPECT_EQ(port.asked(), "sync");
}

// ---- the deadline

session_config with_margin(std::chrono::milliseconds margin) {
  session_config config = scripted_port::default_config();
  config.margin = margin;
  return config;
}

TEST(session_deadline, f102_the_first_answer_counts_from_a_third_before_its_sending) {
  scripted_port port;
  auto lock = hold_at_once(port);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << "100 - 2 + 6 - 1";
}

TEST(session_deadline, an_answered_heartbeat_proves_the_request_before_it_once_the_leader_must_know_of_that) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 500ms);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << "sending alone moves nothing";
  port.now = 100s + 700ms;
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(103s + 500ms)) << "100.5 - 2 + 5: the create may be news to the leader";
  port.advance_to(101s);
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(105s + 500ms));
}

TEST(session_deadline, f101_a_read_moves_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 500ms);
  ASSERT_EQ(port.asked(), "sync get");
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
  port.advance_to(101s);
  port.answer();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s)) << "the sync sent after the CONNECTED: 101 - 2 + 5";
}

TEST(session_deadline, f101_an_answer_that_was_not_the_leaders_moves_nothing) {
  for (const code with : {code::connection_loss, code::operation_timeout, code::session_moved, code::throttled,
                          code::not_read_only, code::unimplemented, code::marshalling_error}) {
    scripted_port port;
    auto lock = hold_at_once(port);
    port.advance_to(100s + 500ms);
    port.answer(with);
    EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << recipes::name(with);
  }
}

TEST(session_deadline, a_refusal_by_the_leader_moves_it_as_well) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 500ms);
  port.answer(code::no_node);
  EXPECT_EQ(lock->hold->valid_until(), instant(103s + 500ms));
}

TEST(session_deadline, when_the_server_has_raised_the_timeout_the_margin_is_a_third_and_there_is_a_warning) {
  scripted_port port;
  port.connect(0x100, 12s);
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s)) << "100 - 4 + 12 - 4";
  EXPECT_TRUE(port.warned_of("12000 ms instead of 6000 ms"));
  const std::size_t lines = port.lines.size();
  port.disconnect();
  port.connect(0x100, 12s);
  EXPECT_EQ(port.lines.size(), lines) << "once";
}

TEST(session_deadline, a_margin_that_was_asked_for_is_taken_up_to_half_the_timeout) {
  for (const auto& [margin, expected] : {std::pair{500ms, instant(103s + 500ms)}, std::pair{5000ms, instant(101s)}}) {
    scripted_port port(with_margin(margin));
    auto lock = hold_at_once(port);
    EXPECT_EQ(lock->hold->valid_until(), expected);
  }
}

TEST(session_deadline, a_small_margin_does_not_take_the_place_of_the_third_when_the_server_has_raised_the_timeout) {
  scripted_port port(with_margin(500ms));
  port.connect(0x100, 12s);
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(104s)) << "100 - 4 + 12 - 4: as if none had been asked for";
}

TEST(session_deadline, a_margin_above_the_third_is_taken_when_the_server_has_raised_the_timeout) {
  scripted_port port(with_margin(5s));
  port.connect(0x100, 12s);
  auto lock = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(lock->hold->valid_until(), instant(103s)) << "100 - 4 + 12 - 5";
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

TEST(session_grant, f19_a_grant_that_comes_after_the_deadline_waits_for_a_fresh_answer) {
  scripted_port port;
  auto lock = grant_that_waits(port);
  ASSERT_EQ(port.asked(), "sync") << "at once, not with the next heartbeat";
  port.answer();
  EXPECT_FALSE(lock->hold) << "the process has stood still for 4 s: its client may have sent no ping";
  port.advance_to(104s + 500ms);
  port.answer_all();
  port.advance_to(105s);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->valid_until(), instant(109s + 500ms)) << "the leader knows of the sync at 104 s";
  EXPECT_TRUE(lock->hold->held_at(port.now));
}

TEST(session_grant, f19_a_grant_that_waits_survives_a_reconnect_in_the_same_session) {
  scripted_port port;
  auto lock = grant_that_waits(port);
  port.disconnect();
  EXPECT_EQ(lock->answers, 0);
  port.advance_to(104s + 200ms);
  port.connect();
  port.advance_to(104s + 200ms);
  EXPECT_EQ(port.asked(), "sync");
  for (const auto more : {0ms, 500ms, 1000ms}) {
    EXPECT_FALSE(lock->hold);
    port.advance_to(104s + 200ms + more);
    port.answer_all();
  }
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
  EXPECT_EQ(port.core.contender_count(), 0U);
  EXPECT_EQ(lock->answers, 1);
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
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(port.opened, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(waiter->answers, 0);
  EXPECT_EQ(port.asked(), "nothing");
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
  EXPECT_EQ(port.closing.size(), 1U);
}

TEST(session_loss, a_loss_that_the_holder_has_found_itself_ends_the_session_too) {
  scripted_port port;
  auto lock = hold_at_once(port);
  EXPECT_FALSE(lock->hold->held_at(103s)) << "asked before the timer ran";
  port.now = 102s;  // whatever the timer's clock says
  port.core.on_timer(port.now);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_EQ(port.closing.size(), 1U);
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
  port.answer_all();  // the heartbeat of long ago
  port.others_remove("/l/x-lock-0000000001");
  EXPECT_EQ(waiter->answers, 0) << "the deadline is not ahead";
  port.advance_to(150s);
  port.answer_all();
  EXPECT_TRUE(waiter->hold);
}

TEST(session_loss, on_an_adopted_handle_the_session_stays_and_the_node_is_removed_in_it) {
  scripted_port port(scripted_port::default_config(), true);
  auto lock = hold_at_once(port);
  port.advance_to(103s);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_TRUE(port.closing.empty());
  EXPECT_EQ(port.opened.size(), 1U);
  EXPECT_NE(port.asked().find("remove"), std::string::npos) << port.asked();
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty());
  EXPECT_EQ(port.core.contender_count(), 0U);
  auto again = port.acquire("/l");
  port.answer_all();
  ASSERT_TRUE(again->hold);
  EXPECT_GT(again->hold->token(), lock->hold->token()) << "F14: it takes part again";
  EXPECT_TRUE(again->hold->held_at(port.now));
}

}  // namespace
}  // namespace zklock::detail
