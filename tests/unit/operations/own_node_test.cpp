#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/on_a_port.hpp"

/// The watch on the own node, and the budget of watches (F83). T = 6 s: a heartbeat every 500 ms.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using test_support::hold_at_once;
using test_support::hold_of;
using test_support::pass_heartbeat;
using test_support::scripted_port;

TEST(session_own_node, f13_a_holder_watches_it_from_the_first_heartbeat_on_and_not_before) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 499ms);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  port.advance_to(100s + 500ms);
  EXPECT_EQ(port.asked(), "sync get");
  EXPECT_EQ(port.path_of(1), lock->hold->node());
  port.answer_all();
  port.others_remove(lock->hold->node());
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
  EXPECT_EQ(port.lost.size(), 1U);
  EXPECT_TRUE(port.closing.empty()) << "the session is none the worse for it";
  EXPECT_EQ(port.locks.contender_count(), 0U);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
}

TEST(session_own_node, f176_one_whose_end_is_told_behind_the_deadline_was_lost_by_the_deadline) {
  scripted_port port;
  auto lock = hold_at_once(port);
  pass_heartbeat(port);
  port.now += 20s;  // the process stood still: the event comes before its timers
  port.others_remove(lock->hold->node());
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::deadline_passed);
}

TEST(session_own_node, a_hold_shorter_than_that_pays_nothing) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 400ms);
  port.release(lock);
  EXPECT_EQ(port.asked(), "remove");
  port.answer_all();
  port.advance_to(102s);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(session_own_node, one_that_went_before_it_was_watched_is_found_gone) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.others_remove(lock->hold->node());
  port.advance_to(100s + 500ms);
  port.answer_all();
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
}

TEST(session_own_node, one_that_another_client_writes_to_is_watched_anew) {
  scripted_port port;
  auto lock = hold_at_once(port);
  port.advance_to(100s + 500ms);
  port.answer_all();
  port.others_set(lock->hold->node());
  EXPECT_EQ(port.asked(), "get") << "at once: it may be a revocation";
  port.answer_all();
  EXPECT_TRUE(lock->hold->held_at(port.now));
  EXPECT_EQ(port.engine.servers().watch_count(), 1U);
}

TEST(session_own_node, f83_beyond_the_budget_a_holder_polls_its_node_in_turn) {
  scripted_port port;
  const std::string long_path = "/" + std::string(900'000, 'x');
  port.others_create(long_path);
  auto lock = hold_at_once(port, long_path);
  for (instant due = 100s + 500ms; due < 102s; due += 500ms) {
    port.advance_to(due);
    ASSERT_TRUE(port.asked().ends_with(" get")) << port.asked();
    EXPECT_EQ(port.request<client::request::get>(1).watch, client::no_watch);
    port.answer_all();
  }
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  port.nodes.erase(lock->hold->node());
  port.advance_to(102s);
  port.answer_all();
  EXPECT_EQ(lock->hold->why_lost(), loss_reason::node_removed);
}

TEST(session_own_node, f83_beyond_the_budget_a_waiter_is_refused_and_leaves_nothing) {
  scripted_port port;
  const std::string long_path = "/" + std::string(500'000, 'x');
  port.others_create(long_path);
  port.others_create(long_path + "/x-lock-0000000001");
  port.connect();
  auto lock = port.acquire(long_path);
  port.answer_all();
  EXPECT_EQ(lock->answers, 1);
  EXPECT_EQ(lock->error, errc::too_many_watches);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  EXPECT_TRUE(port.watches.empty());
  EXPECT_EQ(port.nodes_under(long_path).size(), 1U) << "the other one's";
}

TEST(session_own_node, f83_beyond_the_budget_a_waiter_behind_its_own_session_polls_its_node_in_turn) {
  scripted_port port;
  const std::string long_path = "/" + std::string(900'000, 'x');
  port.others_create(long_path);
  auto holder = hold_at_once(port, long_path);
  auto waiter = port.acquire(long_path);
  port.answer_all();
  for (instant due = 100s + 500ms; due < 102s; due += 500ms) {
    port.advance_to(due);
    port.answer_all();
  }
  EXPECT_EQ(waiter->answers, 0);
  EXPECT_EQ(port.engine.servers().watch_count(), 0U);
  const auto asked_for = port.nodes_under(long_path).back();
  port.nodes.erase(long_path + "/" + asked_for);
  ASSERT_EQ(port.nodes_under(long_path).size(), 1U);
  port.advance_to(102s);
  port.answer_all();
  ASSERT_EQ(port.nodes_under(long_path).size(), 2U) << "it contends with another node, still behind the holder";
  EXPECT_GT(port.nodes_under(long_path).back(), asked_for);
  EXPECT_EQ(waiter->answers, 0);
  holder->hold->end_by_release(port.now);
  port.release(holder);
  port.answer_all();
  EXPECT_TRUE(waiter->hold);
}

/// How often the node is asked for until then.
std::size_t gets_until(scripted_port& port, const std::string& node, instant until) {
  std::size_t gets = 0;
  while (port.now < until) {
    port.advance_to(port.now + 10ms);
    for (; !port.requests.empty(); port.answer()) {
      const auto* const asked = std::get_if<client::request::get>(&port.requests.front().what);
      gets += asked != nullptr && asked->path == node ? 1 : 0;
    }
  }
  return gets;
}

TEST(session_own_node, f149_an_unwatched_waiter_asks_once_an_interval_whatever_its_predecessors) {
  scripted_port port;
  port.budget = {.bytes = 0};
  auto holder = hold_at_once(port);
  std::vector<std::shared_ptr<test_support::asked_lock>> between;
  for (int one = 0; one < 10; ++one) {
    between.push_back(port.acquire("/l"));
    port.answer_all();
  }
  auto waiter = port.acquire("/l");
  port.answer_all();
  const std::string node = "/l/" + port.nodes_under("/l").back();
  EXPECT_EQ(gets_until(port, node, port.now + 3s), 6U);
  for (; !between.empty(); between.pop_back()) {
    port.abandon(between.back());
    gets_until(port, node, port.now + 40ms);
  }
  EXPECT_EQ(waiter->answers, 0);
  EXPECT_EQ(gets_until(port, node, port.now + 3s), 6U);
  holder->hold->end_by_release(port.now);
  port.release(holder);
  port.answer_all();
  ASSERT_TRUE(waiter->hold);
  gets_until(port, node, port.now + 500ms);  // its first look as a holder
  EXPECT_EQ(gets_until(port, node, port.now + 3s), 6U);
}

TEST(session_own_node, f83_a_semaphores_waiter_waits_on_without_a_watch_on_its_own_node) {
  const std::string predecessor = "/s/permit-x-3-0000000002";
  scripted_port port;
  port.others_create("/s", "limit=4\n");
  port.others_create("/s/permit-x-3-0000000001");
  port.others_create(predecessor);
  port.budget = {.bytes = predecessor.size() + 8};
  port.connect();
  auto waiter = port.acquire_as({recipes::contender_kind::permit, 1, 4}, "/s");
  port.answer_all();
  const auto node = std::find_if(port.nodes.begin(), port.nodes.end(), test_support::is_own);
  ASSERT_NE(node, port.nodes.end());
  EXPECT_EQ(gets_until(port, *node, port.now + 3s), 6U);
  EXPECT_EQ(waiter->answers, 0) << waiter->error.message();
  EXPECT_EQ(port.engine.servers().watch_count(), 1U);
}

TEST(session_own_node, f146_the_budget_counts_the_chroot_that_the_handle_puts_in_front) {
  for (const auto& [chroot, watched] : {std::pair{0U, 10U}, std::pair{100U, 6U}}) {
    scripted_port port(scripted_port::default_config(), true);
    port.budget = {.bytes = 1'000, .chroot = chroot};
    port.connect();
    std::vector<std::shared_ptr<test_support::asked_lock>> holders;
    for (int one = 0; one < 10; ++one) {
      holders.push_back(hold_of(port, "/l", {.kind = recipes::contender_kind::read}));
    }
    pass_heartbeat(port);
    EXPECT_EQ(port.engine.servers().watch_count(), watched) << "of " << holders[0]->hold->node();
    for (const auto& each : holders) {
      port.release(each);
    }
    port.answer_all();
    EXPECT_EQ(port.engine.servers().watch_count(), 0U);
    const auto again = hold_of(port);
    pass_heartbeat(port);
    EXPECT_EQ(port.engine.servers().watch_count(), 1U) << "what was forgotten is room again";
  }
}

TEST(session_own_node, f149_beyond_the_budget_at_most_a_hundred_holders_ask_in_each_interval) {
  scripted_port port;
  const std::string long_path = "/" + std::string(899'920, 'x');
  port.others_create(long_path);
  const auto watched = hold_at_once(port, long_path);
  std::vector<std::shared_ptr<test_support::asked_lock>> holders;
  for (int one = 0; one < 1'000; ++one) {
    holders.push_back(hold_of(port, "/l", {.kind = recipes::contender_kind::read}));
  }
  port.advance_to(100s + 500ms);
  port.answer_all();
  ASSERT_EQ(port.engine.servers().watch_count(), 1U) << "there is no room for another one";
  for (instant due = 101s; due < 116s; due += 500ms) {  // three rounds of a thousand holders
    port.advance_to(due);
    EXPECT_LE(port.requests.size(), 1U + 100U) << "in half a second, one of them a heartbeat, at " << due.count();
    port.answer_all();
  }
  port.nodes.erase(holders[500]->hold->node());
  port.advance_to(116s);
  for (instant due = 116s; due <= 121s; due += 500ms) {
    port.answer_all();
    port.advance_to(due);
  }
  EXPECT_EQ(holders[500]->hold->why_lost(), loss_reason::node_removed) << "each has its turn within ten intervals";
  EXPECT_EQ(port.lost.size(), 1U);
}

}  // namespace
}  // namespace zklock::detail
