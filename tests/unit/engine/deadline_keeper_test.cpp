#include "src/engine/deadline_keeper.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using client::code;
using effect = deadline_keeper::effect;
using kind = heartbeat::request_kind;
using numbers = std::vector<std::uint64_t>;

/// T = 6 s, with servers' ticks of 800 ms and a margin of 500 ms; opened at 100 s.
struct kept_deadline : testing::Test {
  kept_deadline() { keeper.local().opened(100s, false); }
  void connect(std::chrono::nanoseconds timeout = 6s) { keeper.connected(timeout, true, false); }
  /// An answer to a request that is sent then.
  effect write(instant sent, instant answered, code answer = code::ok) {
    return ask(kind::write, sent, answered, answer);
  }
  effect sync(instant sent, instant answered) { return ask(kind::sync, sent, answered, code::ok); }
  effect ask(kind what, instant sent, instant answered, code answer) {
    const ledger::entry asked{++last, 0, 0, {.proves = true}};
    keeper.local().sent(asked.id, what, sent);
    return keeper.answered(asked, answer, answered);
  }
  void hold() { keeper.count(counted::hold, +1); }

  client::request_id last = 0;
  deadline_keeper keeper{
      {.root = {}, .timeout = 6s, .margin = 500ms, .tick = 800ms, .auth_scheme = {}, .auth_credentials = {}}};
};

/// Opened at 100 s and proven by the first write: a thousandth of the timeout is the clocks'.
constexpr instant first_deadline = 100s + 6s - 6ms - 500ms;

TEST_F(kept_deadline, moves_with_an_answered_write) {
  connect();
  EXPECT_FALSE(keeper.of_holds()->is_ahead_of(100s));
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  EXPECT_EQ(keeper.deadline(), first_deadline);
  EXPECT_EQ(keeper.margin_over(), first_deadline + 500ms);
}

TEST_F(kept_deadline, does_not_move_when_the_leader_has_not_answered) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms, code::connection_loss), effect::failed);
  EXPECT_EQ(write(100s, 100'010ms, code::operation_timeout), effect::failed);
  EXPECT_FALSE(keeper.of_holds()->is_ahead_of(100s));
}

TEST_F(kept_deadline, f181_moves_at_a_reconnect_to_what_was_lost_before_it_not_to_what_was_not_sent) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  EXPECT_EQ(write(101s, 102s, code::connection_loss), effect::failed);
  EXPECT_EQ(write(103s, 103s, code::system_error), effect::failed);
  connect();
  EXPECT_EQ(write(104s, 104'010ms), effect::ahead);
  EXPECT_EQ(keeper.deadline(), first_deadline + 1s);
}

TEST_F(kept_deadline, does_not_move_before_a_write_is_answered) {
  connect();
  EXPECT_EQ(sync(100s, 100'010ms), effect::none);
  EXPECT_FALSE(keeper.of_holds()->is_ahead_of(100s));
  EXPECT_EQ(write(100s, 100'020ms), effect::ahead);
}

TEST_F(kept_deadline, stays_with_an_answer_that_proves_no_more) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  EXPECT_EQ(write(100'010ms, 100'020ms), effect::ahead);
  EXPECT_EQ(keeper.deadline(), first_deadline);
}

TEST_F(kept_deadline, is_lost_for_what_is_held_when_the_answer_comes_too_late) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  hold();
  EXPECT_EQ(keeper.loss_due(), first_deadline);
  EXPECT_FALSE(keeper.has_passed(first_deadline - 1ns));
  EXPECT_EQ(write(104s, first_deadline), effect::lost);
  EXPECT_TRUE(keeper.has_passed(first_deadline - 1ns)) << "for good";
}

TEST_F(kept_deadline, goes_on_after_it_has_passed_while_nothing_was_held) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  EXPECT_FALSE(keeper.of_holds()->covers(first_deadline)) << "asked by a hold that was released since";
  EXPECT_FALSE(keeper.has_passed(first_deadline));
  EXPECT_EQ(keeper.loss_due(), std::nullopt);
  for (const instant sent : {instant(107s), instant(107'500ms), instant(108s)}) {
    EXPECT_EQ(write(sent, sent + 10ms), effect::ahead);
  }
  EXPECT_TRUE(keeper.of_holds()->is_ahead_of(108'010ms)) << "the first of three, a relay delay apart, was heard";
}

TEST_F(kept_deadline, is_drawn_in_when_less_is_granted_than_before) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  connect(4s);
  EXPECT_LT(keeper.deadline(), first_deadline);
  EXPECT_GT(keeper.deadline(), 100s);
}

TEST_F(kept_deadline, of_another_lease_begins_anew_once_all_that_was_held_is_over) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  const auto of_holds = keeper.of_holds();
  keeper.end(loss_reason::session_expired);
  EXPECT_EQ(of_holds->ended_by(), loss_reason::session_expired);
  EXPECT_EQ(keeper.of_holds(), of_holds) << "holds that are told so now find it over";
  keeper.renew();
  EXPECT_NE(keeper.of_holds(), of_holds);
  EXPECT_EQ(keeper.of_holds()->ended_by(), loss_reason::none);
}

TEST_F(kept_deadline, lets_a_grant_pass_while_it_is_ahead) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  EXPECT_TRUE(keeper.await(1, 101s).ahead);
  EXPECT_EQ(keeper.next_covered(101s), std::nullopt) << "none waits";
}

TEST_F(kept_deadline, lets_grants_wait_and_takes_each_once) {
  connect();
  const auto first = keeper.await(2, 100s), second = keeper.await(1, 100s);
  EXPECT_FALSE(first.ahead || second.ahead);
  EXPECT_TRUE(first.first) << "a heartbeat is sent for it";
  EXPECT_FALSE(second.first);
  EXPECT_EQ(keeper.next_covered(100s), std::nullopt) << "nothing is proven";
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  EXPECT_EQ(keeper.next_covered(100'010ms), 1U);
  keeper.await_no_more(1);
  EXPECT_EQ(keeper.next_covered(100'010ms), 2U);
  keeper.await_no_more(2);
  EXPECT_EQ(keeper.next_covered(100'010ms), std::nullopt);
}

TEST_F(kept_deadline, asks_first_when_connected_where_something_is_held) {
  EXPECT_FALSE(keeper.connected(6s, true, false));
  hold();
  EXPECT_TRUE(keeper.connected(6s, false, false));
  keeper.count(counted::hold, -1);
  EXPECT_FALSE(keeper.connected(6s, false, false));
}

TEST_F(kept_deadline, asks_first_in_a_new_session_of_an_adopted_handle_that_is_kept_ahead_when_idle) {
  EXPECT_FALSE(keeper.connected(6s, true, true));
  keeper.beat_when_idle();
  EXPECT_TRUE(keeper.connected(6s, true, true));
  EXPECT_FALSE(keeper.connected(6s, false, true)) << "the same session";
  EXPECT_FALSE(keeper.connected(6s, true, false)) << "a handle of our own";
}

TEST_F(kept_deadline, beats_for_nodes_for_holds_and_when_idle_if_it_is_to) {
  connect();
  EXPECT_EQ(keeper.beat_due(true), std::nullopt);
  keeper.count(counted::node, +1);
  EXPECT_TRUE(keeper.has_nodes());
  EXPECT_EQ(keeper.beat_due(true), 101'200ms) << "a fifth of the timeout";
  hold();
  EXPECT_TRUE(keeper.has_holds());
  EXPECT_EQ(keeper.beat_due(true), 101'200ms) << "no more often";
  keeper.count(counted::hold, -1);
  keeper.count(counted::node, -1);
  EXPECT_FALSE(keeper.has_nodes() || keeper.has_holds());
  EXPECT_EQ(keeper.beat_due(true), std::nullopt);
  keeper.beat_when_idle();
  EXPECT_EQ(keeper.beat_due(true), 101'200ms);
}

TEST_F(kept_deadline, asks_once_more_where_that_gains_enough_for_what_is_held) {
  connect();
  EXPECT_EQ(write(100s, 100'010ms), effect::ahead);
  sync(102s, 102'010ms);
  sync(102'500ms, 102'510ms);
  const ledger::entry heartbeat_of_ours{last, 0, 0, {.proves = true}}, of_an_operation{last, 5, 0, {.proves = true}};
  EXPECT_FALSE(keeper.gains_by_another(heartbeat_of_ours)) << "nothing is kept";
  keeper.count(counted::node, +1);
  EXPECT_TRUE(keeper.gains_by_another(heartbeat_of_ours));
  EXPECT_FALSE(keeper.gains_by_another(of_an_operation)) << "a waiter's need not";
  hold();
  EXPECT_TRUE(keeper.gains_by_another(of_an_operation));
}

}  // namespace
}  // namespace zklock::engine
