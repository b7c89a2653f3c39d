#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/engine/holder_and_waiter.hpp"

/// close(): what is answered, sent and waited for.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::connection_state;
using test_support::hold_and_wait;
using test_support::scripted_port;

TEST(session_close, f26_holders_and_waiters_are_answered_and_nothing_is_sent_but_the_close) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
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
  hold_and_wait(port);
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
  auto [holder, waiter] = hold_and_wait(port);
  auto release = port.release(holder);
  port.engine.close(105s, port.now);
  port.closed_by_client(1, true);
  EXPECT_EQ(release->answers, 1);
  EXPECT_FALSE(release->error);
}

TEST(session_close, it_works_between_two_handles) {
  scripted_port port;
  auto [holder, waiter] = hold_and_wait(port);
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
  hold_and_wait(port);
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
  hold_and_wait(port);
  port.engine.close(105s, port.now);
  port.engine.close(101s, port.now);
  port.closed_by_client(1, true);
  port.closed_by_client(1, true);
  EXPECT_EQ(port.closed_with.size(), 1U);
  EXPECT_EQ(port.engine.next_timer(), std::nullopt);
}

}  // namespace
}  // namespace zklock::detail
