#include <gtest/gtest.h>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// How the session drives its contenders: what goes over the port, and time limits.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::expect_not_in_time;
using test_support::scripted_port;
namespace request = client::request;

const std::string predecessor = "/l/x-lock-0000000001";

/// A contender that waits behind `predecessor`.
std::shared_ptr<test_support::asked_lock> wait_behind_one(scripted_port& port, std::optional<instant> until = {}) {
  port.others_create(predecessor);
  port.connect();
  auto lock = port.acquire("/l", until);
  port.answer_all();
  EXPECT_EQ(lock->answers, 0);
  EXPECT_EQ(port.engine.servers().watch_count(), 2U);
  return lock;
}

// ---- acquiring

TEST(session_acquire, a_free_lock_takes_one_round_trip) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  EXPECT_EQ(port.asked(), "create list");
  const auto& create = port.request<request::create>(0);
  EXPECT_EQ(create.path, "/l/0000000000000abc0000000000000001-lock-");
  EXPECT_EQ(create.mode, client::create_mode::ephemeral_sequential);
  EXPECT_EQ(create.data, "label=test");
  EXPECT_EQ(port.path_of(1), "/l");
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(port.asked(), "nothing");
  EXPECT_EQ(lock->hold->path(), "/l");
  EXPECT_EQ(lock->hold->node(), "/l/0000000000000abc0000000000000001-lock-0000000005");
  EXPECT_EQ(lock->hold->token().czxid, 1001);
}

TEST(session_acquire, before_the_first_connect_it_waits_and_sends_nothing) {
  scripted_port port;
  auto lock = port.acquire("/l");
  EXPECT_EQ(port.asked(), "nothing");
  port.connect();
  EXPECT_EQ(port.asked(), "create list");
}

TEST(session_acquire, a_hand_over_costs_no_request_after_the_event) {
  scripted_port port;
  auto lock = wait_behind_one(port);
  port.others_remove(predecessor);
  EXPECT_TRUE(lock->hold);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_acquire, the_first_use_of_a_path_makes_containers_from_the_top_and_the_chroot_with_them) {
  auto config = scripted_port::default_config();
  config.root = "/app";
  scripted_port port(config);
  port.connect();
  auto lock = port.acquire("/locks/orders");
  port.answer();
  port.answer();
  ASSERT_EQ(port.asked(), "create create create create list");
  EXPECT_EQ(port.path_of(0), "/app");
  EXPECT_EQ(port.path_of(1), "/app/locks");
  EXPECT_EQ(port.path_of(2), "/app/locks/orders");
  EXPECT_EQ(port.request<request::create>(2).mode, client::create_mode::container);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(lock->hold->path(), "/locks/orders") << "as its user named it";
}

TEST(session_acquire, servers_that_know_no_containers_get_persistent_nodes) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/new");
  port.answer();
  port.answer();
  port.answer(code::unimplemented);
  port.answer();
  port.answer();
  ASSERT_EQ(port.asked(), "create create list");
  EXPECT_EQ(port.request<request::create>(0).mode, client::create_mode::persistent);
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_acquire, what_may_not_be_made_above_the_lock_node_is_an_error_and_no_endless_loop) {
  for (const auto& [refused, expected] : {std::pair{code::no_auth, errc::permission_denied},
                                          std::pair{code::no_children_for_ephemerals, errc::lock_node_unusable}}) {
    scripted_port port;
    port.refuses["/new"] = refused;  // and so "/new/lock" has no parent
    port.connect();
    auto lock = port.acquire("/new/lock");
    for (int step = 0; step < 50 && !port.requests.empty(); ++step) {
      port.answer();
    }
    EXPECT_EQ(port.asked(), "nothing");
    EXPECT_EQ(lock->answers, 1);
    EXPECT_EQ(lock->error, expected);
    EXPECT_EQ(lock->code, refused);
  }
}

TEST(session_acquire, what_stands_above_the_lock_node_need_not_be_ours_to_make) {
  scripted_port port;
  port.others_create("/app");
  port.refuses["/app"] = code::no_auth;  // "/" is not ours, "/app" is
  port.connect();
  auto lock = port.acquire("/app/lock");
  port.answer();
  port.answer();
  port.answer();
  port.answer();
  ASSERT_EQ(port.asked(), "create list");
  port.answer(code::no_node);  // reaped in between
  port.answer(code::no_node);
  ASSERT_EQ(port.asked(), "create create create list") << "made once more: making the lock node itself went well";
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_acquire, f12_a_waiter_whose_node_was_removed_begins_again_with_a_new_name) {
  scripted_port port;
  auto lock = wait_behind_one(port);
  port.others_remove("/l/0000000000000abc0000000000000001-lock-0000000005");
  EXPECT_EQ(lock->answers, 0);
  ASSERT_EQ(port.asked(), "create list");
  EXPECT_EQ(port.request<request::create>(0).path, "/l/0000000000000abc0000000000000002-lock-");
  port.answer_all();
  EXPECT_EQ(port.engine.servers().watch_count(), 2U) << "those of the first contender are gone";
  EXPECT_EQ(port.watches.size(), 2U);
  port.others_remove(predecessor);
  EXPECT_TRUE(lock->hold);
}

TEST(session_acquire, f01_after_a_lost_answer_to_the_create_the_node_is_found_and_used) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.nodes.insert("/l/0000000000000abc0000000000000001-lock-0000000005");
  port.disconnect();
  EXPECT_EQ(port.asked(), "nothing");
  port.connect();
  EXPECT_EQ(port.asked(), "check list");
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  EXPECT_EQ(port.nodes_under("/l").size(), 1U);
}

TEST(session_acquire, a_throttled_request_is_sent_again_without_any_event) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.answer(code::throttled);
  port.answer(code::throttled);
  EXPECT_EQ(port.asked(), "nothing");
  EXPECT_EQ(port.engine.next_timer(), instant(100s + 12ms)) << "T/500";
  port.advance_to(100s + 12ms);
  EXPECT_EQ(port.asked(), "check list");
  port.answer_all();
  EXPECT_TRUE(lock->hold);
}

TEST(session_acquire, an_error_of_the_server_reaches_the_caller_with_its_code) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l");
  port.answer(code::no_auth);
  port.answer();
  EXPECT_EQ(lock->error, errc::permission_denied);
  EXPECT_EQ(lock->code, code::no_auth);
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

// ---- time limits

TEST(session_limit, f27_the_caller_is_answered_at_its_limit_whatever_the_servers_do) {
  scripted_port port;
  port.connect();
  auto lock = port.acquire("/l", 102s);
  port.advance_to(102s - 1ns);
  EXPECT_EQ(lock->answers, 0);
  port.advance_to(102s);
  EXPECT_EQ(lock->answers, 1);
  EXPECT_EQ(lock->error, errc::not_connected) << "no server has answered this attempt";
  EXPECT_EQ(port.locks.contender_count(), 1U) << "its create is not settled";
  port.answer_all();
  EXPECT_TRUE(port.nodes_under("/l").empty()) << "F38: the node that came late is removed";
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(lock->answers, 1);
}

TEST(session_limit, not_in_time_is_no_error_when_the_queue_was_seen) {
  scripted_port port;
  auto lock = wait_behind_one(port, 102s);
  port.advance_to(102s);
  expect_not_in_time(*lock);
  port.answer_all();
  EXPECT_EQ(port.nodes_under("/l").size(), 1U) << "the predecessor's";
  EXPECT_TRUE(port.watches.empty()) << "F37";
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
}

TEST(session_limit, f28_it_does_not_start_again_with_a_new_contender) {
  scripted_port port;
  auto lock = wait_behind_one(port, 102s);
  port.now = 101s;
  port.others_remove("/l/0000000000000abc0000000000000001-lock-0000000005");
  port.advance_to(102s);
  expect_not_in_time(*lock);
}

TEST(session_limit, while_there_is_no_server_it_ends_with_not_connected) {
  scripted_port port;
  auto lock = port.acquire("/l", 101s);
  port.advance_to(101s);
  EXPECT_EQ(lock->error, errc::not_connected);
  EXPECT_EQ(port.locks.contender_count(), 0U);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_limit, f32_one_try_does_not_wait_behind_another_contender) {
  scripted_port port;
  port.others_create(predecessor);
  port.connect();
  auto lock = port.acquire("/l", {}, true);
  port.answer();
  port.answer();
  EXPECT_EQ(port.asked(), "remove get") << "and whether that may be idle";
  port.answer();
  port.answer();
  expect_not_in_time(*lock);
}

TEST(session_limit, a_try_while_suspended_is_refused_at_once_and_sends_nothing) {
  scripted_port port;
  port.connect();
  port.disconnect();
  auto lock = port.acquire("/l", {}, true);
  EXPECT_EQ(lock->error, errc::not_connected);
  EXPECT_EQ(port.locks.contender_count(), 0U);
  auto patient = port.acquire("/l");
  EXPECT_EQ(patient->answers, 0) << "a waiter may wait for the connection too";
}

TEST(session_limit, a_stop_answers_at_once_and_the_removal_goes_on_behind) {
  scripted_port port;
  auto lock = wait_behind_one(port);
  port.abandon(lock);
  EXPECT_EQ(lock->error, errc::abandoned);
  EXPECT_EQ(port.asked(), "remove");
  port.abandon(lock);
  EXPECT_EQ(lock->answers, 1);
  port.answer_all();
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

TEST(session_limit, f145_a_stop_that_comes_before_its_call_leaves_nothing_to_begin) {
  scripted_port port;
  port.connect();
  const auto lock = std::make_shared<test_support::asked_lock>();
  const auto call = operations::acquire::make({{{std::make_shared<lock_target>(lock_target{"/l", "", {}})}}}, lock);
  port.engine.abandon(call, port.now);
  EXPECT_EQ(lock->answers, 0);
  port.locks.begin_acquire(call, port.now);
  EXPECT_EQ(lock->error, errc::abandoned);
  EXPECT_EQ(lock->answers, 1);
  EXPECT_EQ(port.asked(), "nothing");
  EXPECT_EQ(port.locks.contender_count(), 0U);
}

}  // namespace
}  // namespace zklock::detail
