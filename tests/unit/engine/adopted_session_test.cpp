#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/engine/holder_and_waiter.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// Sessions of handles that the program has opened itself.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::connection_state;
using test_support::hold_and_wait;
using test_support::scripted_port;
using test_support::states_of;

TEST(adopted_session, an_expiry_is_final_until_there_is_a_new_handle) {
  scripted_port port(scripted_port::default_config(), true);
  auto [holder, waiter] = hold_and_wait(port);
  port.session_event(connection_state::expired);
  EXPECT_EQ(holder->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(waiter->error, errc::session_expired);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_expired);
  EXPECT_EQ(port.engine.session().state(), session_state::expired);
  EXPECT_EQ(port.opened.size(), 1U);
  port.engine.reopen_with(port, port.now);
  port.connect(0x200);
  auto again = port.acquire("/l");
  test_support::answer_until_answered(port, *again);
  EXPECT_TRUE(again->hold);
}

TEST(adopted_session, an_expiry_that_is_asked_for_is_told_to_waiters_as_one_that_the_handle_tells) {
  scripted_port port(scripted_port::default_config(), true);
  auto [holder, waiter] = hold_and_wait(port);
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
  auto [holder, waiter] = hold_and_wait(port);
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
  hold_and_wait(port);
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
  hold_and_wait(port);
  port.engine.close(105s, port.now);
  port.disconnect();
  EXPECT_EQ(port.engine.session().state(), session_state::closed);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_closed);
  port.connect();
  EXPECT_EQ(port.engine.session().state(), session_state::closed);
  EXPECT_EQ(port.acquire("/l")->error, errc::session_closed);
  EXPECT_EQ(states_of(port), (std::vector{session_state::connected, session_state::closed}));
  EXPECT_EQ(port.asked(), "remove remove") << "once more";
  port.answer_all();
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}}));
}

TEST(adopted_session, an_expiry_during_close_ends_it) {
  scripted_port port(scripted_port::default_config(), true);
  hold_and_wait(port);
  port.engine.close(105s, port.now);
  port.session_event(connection_state::expired);
  ASSERT_EQ(port.closing.size(), 1U);
  port.closed_by_client(1, false);
  EXPECT_EQ(port.closed_with, (std::vector<std::error_code>{{}})) << "the nodes went with the session";
  EXPECT_EQ(port.engine.session().state(), session_state::closed);
}

}  // namespace
}  // namespace zklock::detail
