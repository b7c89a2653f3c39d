#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// What the session does for a multi-lock: all parts in one transaction, and what becomes of them.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using recipes::contender_kind;
using recipes::refusal;
using test_support::abandon;
using test_support::all_failures;
using test_support::answer;
using test_support::answer_at_most;
using test_support::answer_until_answered;
using test_support::asked_lock;
using test_support::expect_nothing_left;
using test_support::fail;
using test_support::failure_kind;
using test_support::own_nodes;
using test_support::pass_heartbeat;
using test_support::reconnect;
using test_support::scripted_port;
namespace request = client::request;

constexpr recipes::claim mutex{};
constexpr recipes::claim writing{contender_kind::write};
const std::string in_the_way = "/m/x-lock-0000000001";

std::shared_ptr<asked_lock> ask(scripted_port& port, std::optional<instant> until = {}) {
  return port.acquire_all({{"/l", mutex}, {"/m", mutex}}, until);
}

std::shared_ptr<asked_lock> hold_both(scripted_port& port) {
  port.connect();
  auto lock = ask(port);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  return lock;
}

/// The first part is granted, the second waits.
std::shared_ptr<asked_lock> wait_for_one(scripted_port& port, std::optional<instant> until = {}) {
  port.others_create(in_the_way);
  port.connect();
  auto lock = ask(port, until);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  return lock;
}

// ---- enlisting

TEST(session_multi_lock, f65_one_transaction_creates_all_parts_and_their_lists_follow_it) {
  scripted_port port;
  port.connect();
  auto lock = ask(port);
  ASSERT_EQ(port.asked(), "multi list list");
  EXPECT_EQ(port.request<request::multi>(0).operations.size(), 2U);
  EXPECT_EQ(port.path_of(1), "/l");
  EXPECT_EQ(port.path_of(2), "/m");
  answer(port, 3);
  EXPECT_EQ(lock->answers, 0);
  ASSERT_EQ(port.asked(), "get") << "the transaction has not told the token";
  port.answer();
  ASSERT_TRUE(lock->hold);
  ASSERT_EQ(lock->hold->parts().size(), 2U);
  EXPECT_EQ(lock->hold->path(), "/l\n/m");
  EXPECT_EQ(lock->hold->token().value, 1001);
  EXPECT_EQ(lock->hold->parts()[1]->token(), lock->hold->token());
}

TEST(session_multi_lock, the_first_use_of_its_paths_makes_their_lock_nodes) {
  scripted_port port;
  port.nodes.clear();
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {"/s", {contender_kind::permit, 1, 3}}});
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  EXPECT_EQ(port.data["/s"], "limit=3\n");
  EXPECT_EQ(port.locks.contender_count(), 2U);
}

TEST(session_multi_lock, a_semaphore_without_a_limit_that_is_not_there_ends_it_and_is_named) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {"/s", {contender_kind::permit, 1}}});
  answer_at_most(port, 30);
  EXPECT_EQ(lock->error, errc::no_limit);
  EXPECT_EQ(lock->path, "/s");
  expect_nothing_left(port);
}

TEST(session_multi_lock, f66_a_refused_create_ends_it_names_the_part_and_makes_nothing) {
  scripted_port port;
  port.refuses["/m/0000000000000abc0000000000000002-lock-"] = code::no_auth;
  port.connect();
  auto lock = ask(port);
  port.answer_all();
  EXPECT_EQ(lock->error, errc::permission_denied);
  EXPECT_EQ(lock->path, "/m");
  expect_nothing_left(port);
}

/// Plays an acquisition whose request number `step` fails like that, and its end. False: there is no such request.
bool play(std::size_t step, failure_kind how, bool behind_one) {
  scripted_port port;
  if (behind_one) {
    port.others_create(in_the_way);
  }
  port.connect();
  auto lock = ask(port);
  bool failed = false;
  for (std::size_t answered = 0; lock->answers == 0 && answered < 100; ++answered) {
    if (port.requests.empty() && behind_one && port.nodes.contains(in_the_way)) {
      port.others_remove(in_the_way);
    }
    if (port.requests.empty()) {
      port.advance_to(port.now + 200ms);
    }
    if (port.requests.empty() || lock->answers != 0) {
      continue;
    }
    if (answered != step) {
      port.answer();
      continue;
    }
    failed = true;
    fail(port, how);
  }
  EXPECT_EQ(lock->answers, 1) << step;
  EXPECT_TRUE(lock->hold || how == failure_kind::refused) << step;
  if (lock->hold) {
    EXPECT_EQ(own_nodes(port), 2U) << "F01, F29: " << step;
    for (const auto& part : lock->hold->parts()) {
      port.release(part);
    }
  }
  port.answer_all();
  expect_nothing_left(port);
  return failed;
}

TEST(session_multi_lock, f01_f29_f66_whatever_request_fails_it_is_held_whole_or_leaves_nothing) {
  for (const failure_kind how : all_failures) {
    for (const bool behind_one : {false, true}) {
      std::size_t step = 0;
      while (play(step, how, behind_one)) {
        ASSERT_FALSE(HasFailure()) << "step " << step << ", failure " << static_cast<int>(how);
        ++step;
      }
      EXPECT_GE(step, 4U);
    }
  }
}

TEST(session_multi_lock, f04_f170_after_an_unknown_outcome_each_part_is_searched_for_behind_a_write) {
  scripted_port port;
  port.connect();
  auto lock = ask(port);
  port.lose_answer();
  reconnect(port);
  EXPECT_EQ(port.asked(), "check list check list");
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(own_nodes(port), 2U);
}

// ---- waiting

TEST(session_multi_lock, f64_one_limit_holds_for_the_whole_and_all_parts_are_removed_one_by_one) {
  scripted_port port;
  auto lock = wait_for_one(port, 102s);
  answer_until_answered(port, *lock);
  EXPECT_EQ(port.now, instant(102s));
  EXPECT_FALSE(lock->error) << "the queue was seen";
  EXPECT_NE(port.asked().find("remove remove"), std::string::npos) << port.asked();
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_multi_lock, f66_a_part_that_goes_while_others_are_waited_for_is_noticed_and_all_begin_anew) {
  scripted_port port;
  auto lock = wait_for_one(port);
  pass_heartbeat(port);
  ASSERT_FALSE(port.nodes_under("/l").empty());
  port.others_remove("/l/" + port.nodes_under("/l").front());
  EXPECT_EQ(port.asked(), "remove multi list list");
  port.answer_all();
  EXPECT_EQ(own_nodes(port), 2U);
  port.others_remove(in_the_way);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_multi_lock, f13_a_part_whose_watch_could_not_be_set_while_it_waited_is_watched_all_the_same) {
  scripted_port port;
  auto lock = wait_for_one(port);
  port.advance_to(port.now + 600ms);
  ASSERT_NE(port.asked().find("get"), std::string::npos) << port.asked();
  reconnect(port);
  port.answer_all();
  port.others_remove(in_the_way);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  port.advance_to(port.now + 1s);
  port.answer_all();
  port.others_remove(lock->hold->parts()[0]->node());
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
}

TEST(session_multi_lock, f29_f31_stopping_it_at_any_step_leaves_nothing) {
  for (std::size_t step = 0; step < 4; ++step) {
    scripted_port port;
    port.connect();
    auto lock = ask(port);
    answer(port, step);
    abandon(port, lock);
    ASSERT_FALSE(HasFailure()) << step;
  }
}

TEST(session_multi_lock, stopping_it_before_there_is_a_connection_sends_nothing) {
  scripted_port port;
  auto lock = ask(port);
  port.abandon(lock);
  EXPECT_EQ(lock->error, errc::abandoned);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
  expect_nothing_left(port);
}

TEST(session_multi_lock, f26_closing_ends_it_whether_it_waits_or_is_held) {
  scripted_port waiting;
  auto waits = wait_for_one(waiting);
  waiting.engine.close(waiting.now + 1s, waiting.now);
  EXPECT_EQ(waits->error, errc::session_closed);
  scripted_port holding;
  auto held = hold_both(holding);
  holding.engine.close(holding.now + 1s, holding.now);
  EXPECT_EQ(held->hold->why_lost(), loss_reason::session_closed);
  EXPECT_EQ(held->hold->lost_part(), "");
}

TEST(session_multi_lock, f83_a_part_that_can_afford_no_watch_ends_it_and_is_named) {
  const std::string long_path = "/" + std::string(500'000, 'x');
  scripted_port port;
  port.others_create(long_path);
  port.others_create(long_path + "/x-lock-0000000001");
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {long_path, mutex}});
  port.answer_all();
  EXPECT_EQ(lock->error, errc::too_many_watches);
  EXPECT_EQ(lock->path, long_path);
  expect_nothing_left(port);
}

// ---- held

TEST(session_multi_lock, f67_it_is_lost_with_its_first_lost_part_which_is_named_and_the_rest_is_given_back) {
  scripted_port port;
  auto lock = hold_both(port);
  pass_heartbeat(port);
  port.others_remove(lock->hold->parts()[1]->node());
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(lock->hold->lost_part(), "/m");
  EXPECT_EQ(lock->hold->parts()[0]->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), lock->hold), 1) << "one notice";
  EXPECT_EQ(port.asked(), "remove");
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_multi_lock, f10_with_the_session_all_parts_are_lost_and_none_is_to_blame) {
  scripted_port port;
  auto lock = hold_both(port);
  port.session_event(client::connection_state::expired);
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::session_expired);
  EXPECT_EQ(lock->hold->lost_part(), "");
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST(session_multi_lock, f11_a_session_that_ends_while_it_waits_is_a_new_start_in_the_next) {
  scripted_port port;
  auto lock = wait_for_one(port);
  port.session_event(client::connection_state::expired);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), "multi list list");
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  port.others_remove(in_the_way);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_multi_lock, f108_its_parts_are_removed_one_by_one_whatever_becomes_of_the_others) {
  scripted_port port;
  auto lock = hold_both(port);
  port.nodes.erase(lock->hold->parts()[0]->node());
  auto first = port.release(lock->hold->parts()[0]);
  auto second = port.release(lock->hold->parts()[1]);
  EXPECT_EQ(port.asked(), "remove remove");
  port.answer_all();
  EXPECT_EQ(first->answers, 1);
  EXPECT_FALSE(first->error) << "F35: gone is gone";
  EXPECT_FALSE(second->error);
  expect_nothing_left(port);
}

TEST(session_multi_lock, a_part_that_is_kept_after_the_release_of_the_others_is_held_and_lost_for_itself) {
  scripted_port port;
  auto lock = hold_both(port);
  pass_heartbeat(port);
  ASSERT_TRUE(lock->hold->end_by_release(port.now));
  port.release(lock->hold->parts()[0]);
  port.answer_all();
  const auto kept = lock->hold->parts()[1];
  EXPECT_TRUE(kept->held_at(port.now));
  port.others_remove(kept->node());
  EXPECT_EQ(kept->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), kept), 1);
  EXPECT_EQ(std::count(port.lost.begin(), port.lost.end(), lock->hold), 0) << "it was given back";
  expect_nothing_left(port);
}

TEST(session_multi_lock, a_part_that_is_lost_just_after_the_whole_was_given_back_takes_no_other_with_it) {
  scripted_port port;
  auto lock = hold_both(port);
  pass_heartbeat(port);
  ASSERT_TRUE(lock->hold->end_by_release(port.now));
  port.others_remove(lock->hold->parts()[0]->node());
  EXPECT_EQ(lock->hold->parts()[0]->why_lost(), loss_reason::node_removed);
  EXPECT_TRUE(lock->hold->parts()[1]->held_at(port.now));
  EXPECT_EQ(port.asked(), "nothing");
  port.release(lock->hold->parts()[1]);
  port.answer_all();
  expect_nothing_left(port);
}

TEST(session_multi_lock, a_writing_part_may_be_downgraded) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {"/m", writing}});
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  port.locks.downgrade(lock->hold->parts()[1], port.now);
  EXPECT_EQ(port.asked(), "set");
  port.answer_all();
  EXPECT_EQ(port.data[lock->hold->parts()[1]->node()], "mode=read\n");
  EXPECT_TRUE(lock->hold->held_at(port.now));
}

}  // namespace
}  // namespace zklock::detail
