#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// Sessions that end, and the next ones; closing.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using client::connection_state;
using test_support::asked_lock;
using test_support::scripted_port;

struct holder_and_waiter {
  std::shared_ptr<asked_lock> holder;
  std::shared_ptr<asked_lock> waiter;
};

holder_and_waiter begin(scripted_port& port) {
  port.others_create("/m/x-lock-0000000001");
  port.connect();
  holder_and_waiter both{port.acquire("/l"), port.acquire("/m")};
  port.answer_all();
  if (port.adopted()) {
    test_support::answer_until_answered(port, *both.holder);
  }
  EXPECT_TRUE(both.holder->hold);
  EXPECT_EQ(both.waiter->answers, 0);
  return both;
}

std::vector<standing> states_of(const scripted_port& port) {
  std::vector<standing> states;
  for (const auto& [state, fresh] : port.states) {
    states.push_back(state);
  }
  return states;
}

// ---- expiry

TEST(session_expiry, f10_the_holder_is_told_and_f11_the_waiter_queues_again_in_a_new_session) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
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
  auto [holder, waiter] = begin(port);
  port.session_event(connection_state::expired);
  port.connect(0x200);
  auto again = port.acquire("/l");
  port.answer_all();
  ASSERT_TRUE(again->hold);
  EXPECT_GT(again->hold->token(), holder->hold->token());
  EXPECT_TRUE(again->hold->held_at(port.now));
  EXPECT_FALSE(holder->hold->held_at(port.now));
}

TEST(session_expiry, f20_a_session_id_that_has_changed_is_an_expiry_that_nobody_told) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
  port.disconnect();
  port.connect(0x200);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(waiter->answers, 0);
}

TEST(session_expiry, f18_a_reconnect_in_the_same_session_costs_nobody_anything) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
  port.disconnect();
  EXPECT_EQ(port.engine.session().state(), standing::suspended);
  EXPECT_TRUE(holder->hold->held_at(port.now));
  port.connect();
  EXPECT_TRUE(holder->hold->held_at(port.now));
  EXPECT_TRUE(port.lost.empty());
  EXPECT_EQ(port.asked(), "check") << "the watches stand";
  EXPECT_EQ(states_of(port), (std::vector{standing::connected, standing::suspended, standing::connected}));
}

TEST(session_expiry, a_new_session_is_told_as_such) {
  scripted_port port;
  begin(port);
  port.session_event(connection_state::expired);
  port.connect(0x200);
  using told = std::pair<standing, bool>;
  EXPECT_EQ(port.states, (std::vector<told>{{standing::connected, true},
                                            {standing::expired, false},
                                            {standing::connecting, false},
                                            {standing::connected, true}}));
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
    port.engine.on_reply(asked.generation, asked.id, std::move(late), port.now);
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
  auto [holder, waiter] = begin(port);
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
  begin(port);
  port.resolvable = false;
  port.session_event(connection_state::expired);
  port.closed_by_client(1, false);
  port.advance_to(200s);
  EXPECT_TRUE(port.observed.empty()) << port.observed.size() << " after a hundred tries";
  port.resolvable = true;
  port.advance_to(202s);
  EXPECT_EQ(port.observed.size(), 1U);
}

TEST(session_expiry, f75_refused_credentials_end_it_for_everybody_and_for_good) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
  port.session_event(connection_state::auth_failed);
  EXPECT_EQ(port.engine.session().state(), standing::auth_failed);
  EXPECT_TRUE(holder->hold->why_lost() != loss_reason::none);
  EXPECT_EQ(waiter->error, errc::authentication_failed);
  EXPECT_EQ(port.acquire("/l")->error, errc::authentication_failed);
  port.advance_to(200s);
  EXPECT_EQ(port.opened.size(), 1U) << "another handle would be refused as well";
}

// ---- adopted handles

TEST(adopted_session, an_expiry_is_final_until_there_is_a_new_handle) {
  scripted_port port(scripted_port::default_config(), true);
  auto [holder, waiter] = begin(port);
  port.session_event(connection_state::expired);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(waiter->error, errc::session_expired);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_expired);
  EXPECT_EQ(port.engine.session().state(), standing::expired);
  EXPECT_EQ(port.opened.size(), 1U);
  port.engine.reopen_with(port, port.now);
  port.connect(0x200);
  auto again = port.acquire("/l");
  test_support::answer_until_answered(port, *again);
  EXPECT_TRUE(again->hold);
}

TEST(adopted_session, an_expiry_that_is_asked_for_is_told_to_waiters_as_one_that_the_handle_tells) {
  scripted_port port(scripted_port::default_config(), true);
  auto [holder, waiter] = begin(port);
  EXPECT_FALSE(port.engine.ask_for_expiry(port.now));
  EXPECT_EQ(waiter->answers, 0);
  port.handle_has_expired = true;
  EXPECT_TRUE(port.engine.ask_for_expiry(port.now));
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(waiter->error, errc::session_expired);
}

TEST(adopted_session, f147_it_asks_the_handle_for_its_state_and_more_often_without_a_connection) {
  scripted_port port(scripted_port::default_config(), true);
  port.advance_to(101s);
  EXPECT_EQ(port.polls, 11) << "every 100 ms";
  port.connect();
  port.advance_to(102s);
  const int connected = port.polls;
  port.advance_to(108s);
  EXPECT_EQ(port.polls, connected + 12) << "every T/12: an idle handle tells of nothing by itself";
  port.disconnect();
  const int polls = port.polls;
  port.advance_to(109s);
  EXPECT_EQ(port.polls, polls + 10);
}

TEST(adopted_session, close_waits_for_the_removals_and_leaves_the_handle_open_meanwhile) {
  scripted_port port(scripted_port::default_config(), true);
  auto [holder, waiter] = begin(port);
  port.engine.close(105s, port.now);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_closed);
  EXPECT_EQ(waiter->error, errc::session_closed);
  EXPECT_TRUE(port.closing.empty());
  EXPECT_EQ(port.asked(), "remove remove");
  port.answer_all();
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(port.nodes_under("/l").empty());
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}}));
}

TEST(adopted_session, close_ends_each_hold_before_it_asks_for_the_removal_of_any_node) {
  scripted_port port(scripted_port::default_config(), true);
  port.connect();
  const auto single = port.acquire("/l");
  const auto several = port.acquire_all({{"/l2", {}}, {"/m", {}}});
  port.answer_all();
  test_support::answer_until_answered(port, *several);
  ASSERT_TRUE(single->hold && several->hold);
  port.engine.close(105s, port.now);
  EXPECT_EQ(port.asked_at_loss, std::vector<std::string>(4, "nothing")) << "of the multi-lock both parts, too";
  EXPECT_EQ(port.asked(), "remove remove remove");
  for (const auto& ended : {single, several}) {
    EXPECT_EQ(ended->hold->why_lost(), loss_reason::session_closed);
  }
}

TEST(adopted_session, f78_what_could_not_be_removed_within_the_limit_is_told) {
  scripted_port port(scripted_port::default_config(), true);
  begin(port);
  port.engine.close(105s, port.now);
  port.advance_to(105s - 1ns);
  EXPECT_TRUE(port.closing.empty());
  port.advance_to(105s);
  ASSERT_EQ(port.closing.size(), 1U);
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{errc::release_unconfirmed}));
}

TEST(adopted_session, an_outage_during_close_does_not_open_it_again) {
  scripted_port port(scripted_port::default_config(), true);
  begin(port);
  port.engine.close(105s, port.now);
  port.disconnect();
  EXPECT_EQ(port.engine.session().state(), standing::closed);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_closed);
  port.connect();
  EXPECT_EQ(port.engine.session().state(), standing::closed);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_closed);
  EXPECT_EQ(states_of(port), (std::vector{standing::connected, standing::closed}));
  EXPECT_EQ(port.asked(), "remove remove") << "once more";
  port.answer_all();
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}}));
}

TEST(adopted_session, an_expiry_during_close_ends_it) {
  scripted_port port(scripted_port::default_config(), true);
  begin(port);
  port.engine.close(105s, port.now);
  port.session_event(connection_state::expired);
  ASSERT_EQ(port.closing.size(), 1U);
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}})) << "the nodes went with the session";
  EXPECT_EQ(port.engine.session().state(), standing::closed);
}

// ---- closing

TEST(session_close, f26_everybody_is_answered_and_nothing_is_sent_but_the_close) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
  port.engine.close(105s, port.now);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_closed);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_EQ(waiter->error, errc::session_closed);
  EXPECT_EQ(port.closing, (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(port.closed_with.empty());
  port.closed_by_client(1, true);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}}));
  EXPECT_EQ(port.disposed, 1);
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_closed);
}

TEST(session_close, f78_a_close_that_no_server_has_heard_of_is_unconfirmed_if_there_was_a_contender) {
  scripted_port port;
  begin(port);
  port.disconnect();
  port.engine.close(105s, port.now);
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{errc::release_unconfirmed}));

  scripted_port idle;
  idle.engine.close(105s, idle.now);
  idle.closed_by_client(1, false);
  EXPECT_EQ(idle.closed_with, (std::vector<std::error_code>{{}})) << "nothing was left behind";
}

TEST(session_close, a_release_that_waits_is_answered_by_it) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
  auto release = port.release(holder);
  port.engine.close(105s, port.now);
  port.closed_by_client(1, true);
  EXPECT_EQ(release->answers, 1);
  EXPECT_FALSE(release->error);
}

TEST(session_close, it_works_between_two_handles) {
  scripted_port port;
  auto [holder, waiter] = begin(port);
  port.resolvable = false;
  port.session_event(connection_state::expired);
  port.closed_by_client(1, false);
  port.engine.close(105s, port.now);
  EXPECT_EQ(waiter->error, errc::session_closed);
  EXPECT_EQ(port.closed_with.size(), 1U) << "at once: there is nothing to wait for";
  port.advance_to(200s);
  EXPECT_EQ(port.opened.size(), 1U);
}

TEST(session_close, it_waits_for_the_handle_that_a_lost_deadline_has_retired) {
  scripted_port port;
  begin(port);
  port.advance_to(105s);
  ASSERT_EQ(port.opened.size(), 2U);
  port.engine.close(110s, port.now);
  port.closed_by_client(2, true);
  EXPECT_TRUE(port.closed_with.empty());
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with.size(), 1U);
  EXPECT_EQ(port.disposed, 2);
}

TEST(session_close, a_second_one_changes_nothing) {
  scripted_port port;
  begin(port);
  port.engine.close(105s, port.now);
  port.engine.close(101s, port.now);
  port.closed_by_client(1, true);
  port.closed_by_client(1, true);
  EXPECT_EQ(port.closed_with.size(), 1U);
  EXPECT_EQ(port.engine.next_timer(), std::nullopt);
}

}  // namespace
}  // namespace zklock::detail
