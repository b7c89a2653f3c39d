#include <gtest/gtest.h>

#include <string>
#include <utility>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_transaction.hpp"

/// Transactions that are not sent, or not answered. T = 6 s, and what was granted at 100 s is held until 103 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using namespace test_support::transactions;  // NOLINT: the words of these tests
using client::connection_state;
using test_support::asked_lock;
using test_support::asked_transaction;
using test_support::operations;
using test_support::pass_heartbeat;

// ---- refused before anything is sent

void expect_refused(scripted_port& port, const std::shared_ptr<asked_transaction>& asked, errc why, at part = at::whole,
                    std::size_t place = 0) {
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->failure.ec, why) << asked->failure.ec.message();
  EXPECT_EQ(asked->failure.part, part);
  EXPECT_EQ(asked->failure.place, place);
  EXPECT_EQ(port.asked().find("multi"), std::string::npos) << port.asked();
}

TEST(transaction, whose_guard_is_past_its_deadline_is_lost_by_the_clock_alone) {
  scripted_port port;
  const auto held = hold_at_once(port);
  ASSERT_EQ(held->hold->valid_until(), instant(103s));
  port.now = 103s - 1ns;
  const auto in_time = commit(port, {held});
  EXPECT_EQ(port.asked(), "multi");
  port.requests.clear();
  port.now = 103s;
  expect_refused(port, commit(port, {held}), errc::lost, at::guard, 0);
  EXPECT_EQ(held->hold->why_lost(), loss_reason::deadline_passed);
}

TEST(transaction, names_the_guard_that_is_lost) {
  scripted_port port;
  const auto stands = hold_at_once(port, "/l");
  const auto lost = hold_of(port, "/m");
  pass_heartbeat(port);
  port.others_remove(lost->hold->node());
  port.answer_all();
  expect_refused(port, commit(port, {stands, lost}), errc::lost, at::guard, 1);
}

TEST(transaction, whose_guard_was_given_back_is_not_the_owners) {
  scripted_port port;
  const auto held = hold_at_once(port);
  held->hold->end_by_release(port.now);
  expect_refused(port, commit(port, {held}), errc::not_owner, at::guard, 0);
}

TEST(transaction, without_a_connection_is_refused_at_once_and_not_kept_for_later) {
  scripted_port port;
  expect_refused(port, commit(port, {}), errc::not_connected);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
  const auto held = hold_of(port);
  port.disconnect();
  expect_refused(port, commit(port, {held}), errc::not_connected);
  port.connect();
  EXPECT_EQ(port.asked().find("multi"), std::string::npos);
}

TEST(transaction, whose_guard_was_of_an_earlier_session_is_lost) {
  scripted_port port;
  const auto held = hold_at_once(port);
  port.session_event(connection_state::expired);
  expect_refused(port, commit(port, {held}), errc::lost, at::guard, 0);
  port.connect(0x200);
  expect_refused(port, commit(port, {held}), errc::lost, at::guard, 0);
}

TEST(transaction, after_the_sessions_end_is_refused_as_an_acquisition_is) {
  scripted_port closed;
  closed.connect();
  closed.engine.close(closed.now + 1s, closed.now);
  expect_refused(closed, commit(closed, {}), errc::session_closed);
  scripted_port refused;
  refused.session_event(connection_state::auth_failed);
  expect_refused(refused, commit(refused, {}), errc::authentication_failed);
  scripted_port adopted(scripted_port::default_config(), true);
  adopted.connect();
  adopted.session_event(connection_state::expired);
  expect_refused(adopted, commit(adopted, {}), errc::session_expired);
}

TEST(transaction, f107_of_more_than_a_request_may_hold_is_refused_before_it_is_sent) {
  scripted_port port;
  const auto held = hold_at_once(port);
  expect_refused(port, commit(port, {held}, {request::set{"/a", std::string(1'000'000, 'x')}}),
                 errc::request_too_large);
  const operations many(20'000, request::set{"/a", ""});
  expect_refused(port, commit(port, {held}, many), errc::request_too_large);
  const auto fits = commit(port, {held}, {request::set{"/a", std::string(900'000, 'x')}});
  EXPECT_EQ(port.asked(), "multi");
}

// ---- always answered, and what was lost is not called undone

/// A transaction that is sent, and what guards it.
std::pair<std::shared_ptr<asked_lock>, std::shared_ptr<asked_transaction>> under_way(scripted_port& port) {
  auto held = hold_at_once(port);
  auto asked = commit(port, {held});
  return {held, asked};
}

TEST(transaction, f08_whose_answer_is_lost_with_the_connection_is_unknown) {
  scripted_port port;
  const auto [held, asked] = under_way(port);
  port.disconnect();
  EXPECT_EQ(asked->failure.ec, errc::outcome_unknown);
  EXPECT_TRUE(may_have_applied(asked->failure.ec));
  EXPECT_FALSE(is_transient(asked->failure.ec)) << "the same again may do it twice";
  port.connect();
  port.answer_all();
  EXPECT_EQ(asked->answers, 1);
}

TEST(transaction, f08_that_is_under_way_when_the_deadline_passes_is_unknown_and_not_lost) {
  scripted_port port;
  const auto [held, asked] = under_way(port);
  port.advance_to(104s);
  EXPECT_FALSE(held->hold->held_at(port.now));
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->failure.ec, errc::outcome_unknown);
}

TEST(transaction, f08_that_is_under_way_when_the_session_ends_is_unknown) {
  for (const connection_state end : {connection_state::expired, connection_state::auth_failed}) {
    scripted_port port;
    const auto [held, asked] = under_way(port);
    port.session_event(end);
    EXPECT_EQ(asked->failure.ec, errc::outcome_unknown);
    EXPECT_EQ(asked->answers, 1);
  }
  scripted_port port;
  port.connect();
  const auto asked = commit(port, {});
  port.connect(0x200);  // an expiry that no event told
  EXPECT_EQ(asked->failure.ec, errc::outcome_unknown);
}

TEST(transaction, f08_that_is_under_way_when_the_session_is_closed_is_unknown) {
  scripted_port port;
  const auto [held, asked] = under_way(port);
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(asked->failure.ec, errc::outcome_unknown);
  port.closed_by_client(port.closing.at(0), true);
  EXPECT_EQ(asked->answers, 1);
}

TEST(transaction, on_an_adopted_handle_is_answered_at_the_latest_when_the_close_ends) {
  scripted_port port(scripted_port::default_config(), true);
  const auto held = hold_at_once(port);
  const auto answered = commit(port, {held});
  const auto unanswered = commit(port, {held});
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(answered->answers, 0) << "the removal of the contender is waited for, and so is this";
  answer_applied(port);
  EXPECT_TRUE(answered->was_applied());
  EXPECT_EQ(unanswered->answers, 0);
  port.advance_to(port.now + 1s);
  EXPECT_EQ(unanswered->failure.ec, errc::outcome_unknown);
  EXPECT_EQ(unanswered->answers, 1);
}

TEST(transaction, on_an_adopted_handle_survives_its_guards_deadline_and_tells_what_was_done) {
  scripted_port port(scripted_port::default_config(), true);
  const auto [held, asked] = under_way(port);
  port.advance_to(110s);
  EXPECT_FALSE(held->hold->held_at(port.now));
  EXPECT_EQ(asked->answers, 0);
  answer_applied(port);
  EXPECT_TRUE(asked->was_applied());
}

TEST(transaction, whose_answer_comes_after_the_deadline_tells_what_was_done_before_all_else) {
  scripted_port port;
  const auto [held, asked] = under_way(port);
  port.now = 104s;  // the session has not looked at the clock
  answer_applied(port);
  EXPECT_TRUE(asked->was_applied());
  EXPECT_EQ(held->hold->why_lost(), loss_reason::deadline_passed);
}

}  // namespace
}  // namespace zklock::detail
