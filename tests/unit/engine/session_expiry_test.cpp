#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include <algorithm>

#include "tests/unit/engine/holder_and_waiter.hpp"

/// Sessions that end, and the next ones.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::connection_state;
using test_support::hold_and_wait;
using test_support::scripted_port;
using test_support::states_of;

TEST(session_expiry, f10_the_holder_is_told_and_f11_the_waiter_queues_again_in_a_new_session) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
  port.session_event(connection_state::expired);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_expired);
  ASSERT_EQ(port.lost.size(), 1U) << "once";
  EXPECT_EQ(waiter->answers, 0);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(port.opened, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), "create list");
  EXPECT_EQ(port.requests[0].generation, 2U);
}

TEST(session_expiry, f14_after_a_loss_the_same_path_is_acquired_afresh_with_a_larger_token) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
  port.session_event(connection_state::expired);
  port.connect(0x200);
  auto again = port.acquire("/l");
  port.answer_all();
  ASSERT_TRUE(again->hold);
  EXPECT_GT(again->hold->token(), holder->hold->token());
  EXPECT_TRUE(again->hold->held_at(port.now));
  EXPECT_FALSE(holder->hold->held_at(port.now));
}

TEST(session_expiry, f20_a_session_id_that_has_changed_is_an_expiry_without_an_event) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
  port.disconnect();
  port.connect(0x200);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(waiter->answers, 0);
}

TEST(session_expiry, f18_a_reconnect_in_the_same_session_costs_holders_and_waiters_nothing) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
  port.disconnect();
  EXPECT_EQ(port.engine.session().state(), session_state::suspended);
  EXPECT_TRUE(holder->hold->held_at(port.now));
  port.connect();
  EXPECT_TRUE(holder->hold->held_at(port.now));
  EXPECT_TRUE(port.lost.empty());
  EXPECT_EQ(port.asked(), "check") << "the watches stand";
  EXPECT_EQ(states_of(port),
            (std::vector{session_state::connected, session_state::suspended, session_state::connected}));
}

TEST(session_expiry, a_new_session_is_told_as_such) {
  scripted_port port;
  hold_and_wait(port);
  port.session_event(connection_state::expired);
  port.connect(0x200);
  using told = std::pair<session_state, bool>;
  EXPECT_EQ(port.states, (std::vector<told>{{session_state::connected, true},
                                            {session_state::expired, false},
                                            {session_state::connecting, false},
                                            {session_state::connected, true}}));
}

TEST(session_expiry, f25_what_an_old_handle_still_says_has_no_effect) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  const auto old = port.requests;
  port.session_event(connection_state::expired);
  port.connect(0x200);
  for (const auto& asked : old) {
    client::reply late;
    late.name = "/l/0000000000000abc0000000000000001-lock-0000000009";
    late.children = {"0000000000000abc0000000000000001-lock-0000000009"};
    port.engine.on_reply(asked.generation, asked.id, late, port.now);
  }
  port.engine.on_session_event(1, {connection_state::expired, 0, {}}, port.now);
  port.engine.on_session_event(1, {connection_state::connected, 0x100, 6s}, port.now);
  for (client::watch_id watch = 1; watch < 5; ++watch) {
    port.engine.on_node_event(1, watch, client::node_event::deleted, port.now);
  }
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(port.opened.size(), 2U);
  EXPECT_EQ(port.asked(), "create list");
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_expiry, f25_an_answer_or_event_for_a_finished_contender_has_no_effect) {
  scripted_port port;
  port.others_create("/l/x-lock-0000000001");
  port.connect();
  auto lock = port.acquire("/l");
  port.answer();
  port.answer();
  ASSERT_EQ(port.asked(), "get get");
  port.abandon(lock);
  port.answer_all();
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_TRUE(port.watches.empty());
  port.others_remove("/l/x-lock-0000000001");
  port.engine.on_node_event(1, 1, client::node_event::deleted, port.now);
  port.engine.on_reply(1, 1, {}, port.now);
  EXPECT_EQ(lock->answers, 1);
}

TEST(session_expiry, f75_a_host_that_cannot_be_resolved_any_more_is_tried_again) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
  port.resolvable = false;
  port.session_event(connection_state::expired);
  EXPECT_EQ(port.opened.size(), 1U);
  EXPECT_TRUE(port.warned_of("nowhere"));
  port.advance_to(100s + 999ms);
  EXPECT_EQ(port.opened.size(), 1U);
  port.advance_to(101s);
  port.resolvable = true;
  port.advance_to(102s);
  ASSERT_EQ(port.opened.size(), 2U);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), "create list") << "the waiter's";
  EXPECT_EQ(waiter->answers, 0);
}

TEST(session_expiry, f155_a_try_that_opens_no_connection_leaves_no_observer) {
  scripted_port port;
  hold_and_wait(port);
  port.resolvable = false;
  port.session_event(connection_state::expired);
  port.closed_by_client(1, false);
  port.advance_to(200s);
  EXPECT_TRUE(port.observed.empty()) << port.observed.size() << " after a hundred tries";
  port.resolvable = true;
  port.advance_to(202s);
  EXPECT_EQ(port.observed.size(), 1U);
}

TEST(session_expiry, f75_refused_credentials_end_it_for_holders_and_waiters_and_for_good) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
  port.session_event(connection_state::auth_failed);
  EXPECT_EQ(port.engine.session().state(), session_state::authentication_failed);
  EXPECT_EQ(std::count_if(port.lines.begin(), port.lines.end(),
                          [](const log_line& one) { return one.text == "the servers have refused the credentials"; }),
            1);
  EXPECT_TRUE(holder->hold->why_lost() != loss_reason::none);
  EXPECT_EQ(waiter->error, errc::authentication_failed);
  EXPECT_EQ(port.acquire("/l")->error, errc::authentication_failed);
  port.advance_to(200s);
  EXPECT_EQ(port.opened.size(), 1U) << "another handle would be refused as well";
}

}  // namespace
}  // namespace zklock::detail
