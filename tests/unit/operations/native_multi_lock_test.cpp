#include <gtest/gtest.h>

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// A native multi-lock: all parts in one transaction, and what becomes of each of them.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using recipes::contender_kind;
using test_support::answer;
using test_support::answer_at_most;
using test_support::asked_lock;
using test_support::expect_nothing_left;
using test_support::own_nodes;
using test_support::pass_heartbeat;
using test_support::reconnect;
using test_support::scripted_port;
namespace request = client::request;

constexpr recipes::acquire_spec mutex{};
const std::string in_the_way = "/m/x-lock-0000000001";

std::shared_ptr<asked_lock> ask(scripted_port& port) { return port.acquire_all({{"/l", mutex}, {"/m", mutex}}); }

std::shared_ptr<asked_lock> hold_both(scripted_port& port) {
  port.connect();
  auto lock = ask(port);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
  return lock;
}

/// The first part is granted, the second waits.
std::shared_ptr<asked_lock> wait_for_one(scripted_port& port) {
  port.others_create(in_the_way);
  port.connect();
  auto lock = ask(port);
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
  EXPECT_EQ(lock->hold->token().czxid, 1001);
  EXPECT_EQ(lock->hold->parts()[1]->token(), lock->hold->token());
}

TEST(session_multi_lock, f48_that_is_free_has_the_least_pzxid_as_its_token_and_so_have_its_parts) {
  scripted_port port(scripted_port::default_config(), true);  // the deadline is ahead only later
  port.pzxids = {{"/l", 6000}, {"/m", 5000}};
  port.connect();
  auto lock = ask(port);
  answer(port, 3);
  for (int i = 0; i < 200 && lock->answers == 0; ++i) {
    port.advance_to(port.now + std::chrono::milliseconds(100));  // each part learns its czxid
    port.answer_all();
  }
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->token().czxid, 5000);
  for (const auto& part : lock->hold->parts()) {
    EXPECT_EQ(part->token(), lock->hold->token());
  }
}

TEST(session_multi_lock, a_semaphore_without_a_limit_that_is_not_there_ends_it_and_is_named) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire_all({{"/l", mutex}, {"/s", {contender_kind::permit, 1}}});
  answer_at_most(port, 30);
  EXPECT_EQ(lock->error, errc::no_permit_limit);
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

// The leader's word of a local session, which it does not know; or of one that is over.
TEST(session_multi_lock, f194_refused_as_of_a_session_that_is_over_it_ends_if_the_session_lives) {
  for (const bool lives : {true, false}) {
    scripted_port port;
    port.connect();
    auto lock = ask(port);
    ASSERT_EQ(port.asked(), "multi list list");
    port.answer(code::session_expired);
    answer(port, 2);
    EXPECT_EQ(lock->answers, 0) << "it may be over";
    port.advance_to(port.now + 1s);
    ASSERT_TRUE(port.asked().starts_with("check list")) << port.asked();
    if (!lives) {
      port.session_event(client::connection_state::expired);
      port.requests.clear();
      port.connect(0x101);
      port.answer_all();
      EXPECT_TRUE(lock->hold) << "in the next session";
      continue;
    }
    port.answer_all();
    ASSERT_EQ(lock->answers, 1);
    EXPECT_EQ(lock->error, errc::server_error);
    EXPECT_EQ(lock->code, code::ephemeral_on_local_session);
    EXPECT_EQ(lock->path, "/l");
    expect_nothing_left(port);
  }
}

// ---- waiting

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

TEST(session_multi_lock, f108_its_parts_are_removed_one_by_one_whatever_becomes_of_the_others) {
  scripted_port port;
  auto lock = hold_both(port);
  port.nodes.erase(lock->hold->parts()[0]->node());
  auto first = port.release(lock->hold->parts()[0]);
  auto second = port.release(lock->hold->parts()[1]);
  EXPECT_EQ(port.asked(), "remove remove");
  port.answer_all();
  EXPECT_EQ(first->answers, 1);
  EXPECT_EQ(first->error, errc::lost) << "F182: an operator has removed it";
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

}  // namespace
}  // namespace zklock::detail
