#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_operation.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// What a native lock's participants are read from. T = 6 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::scripted_port;

using test_support::asked_queue;
using names = std::vector<std::string>;

std::string lock(const std::string& client, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  return client + "-lock-" + digits;
}

std::shared_ptr<asked_queue> query_participants(scripted_port& port, instant limit = 2s) {
  return test_support::list_participants(port, limit);
}

names names_in(const asked_queue& asked) {
  names all;
  for (const recipes::seen_contender& one : asked.queue) {
    all.push_back(one.name);
  }
  return all;
}

/// The oldest request, by a look at such a node.
void answer_with(scripted_port& port, std::int64_t czxid, const std::string& data) {
  client::reply what;
  what.stat.czxid = czxid;
  what.data = data;
  const auto asked = port.requests.front();
  port.requests.pop_front();
  port.engine.on_reply(asked.generation, asked.id, what, port.now);
}

/// A session with these nodes under /l, and the first reading's sync and list answered.
std::shared_ptr<asked_queue> inspect_with(scripted_port& port, const names& children) {
  for (const std::string& one : children) {
    port.others_create("/l/" + one);
  }
  port.connect();
  auto asked = query_participants(port);
  EXPECT_EQ(port.asked(), "sync list");
  port.answer();
  port.answer();
  return asked;
}

TEST(participants_query, f51_asks_each_contender_and_answers_in_the_order_of_the_queue) {
  scripted_port port;
  auto asked = inspect_with(port, {lock("b", 1), lock("c", 3), lock("a", 2), "stray"});
  EXPECT_EQ(port.asked(), "get get get");
  EXPECT_EQ(port.path_of(0), "/l/" + lock("b", 1));
  answer_with(port, 71, "mode=write\nhost=h\npid=5\n");
  EXPECT_EQ(asked->answers, 0);
  port.answer_all();
  ASSERT_EQ(asked->answers, 1);
  EXPECT_FALSE(asked->error);
  EXPECT_EQ(names_in(*asked), (names{lock("b", 1), lock("a", 2), lock("c", 3)}));
  EXPECT_EQ(asked->queue[0].czxid, 71);
  EXPECT_EQ(asked->queue[0].told.host, "h");
  EXPECT_EQ(port.watches.size(), 0U) << "a look leaves no watch";
}

TEST(participants_query, f51_nodes_that_vanish_between_list_and_look_are_left_out) {
  scripted_port port;
  auto asked = inspect_with(port, {lock("a", 1), lock("b", 2), lock("c", 3)});
  port.others_remove("/l/" + lock("a", 1));
  port.others_remove("/l/" + lock("c", 3));
  port.answer_all();
  EXPECT_EQ(names_in(*asked), names{lock("b", 2)});
}

TEST(participants_query, of_a_node_whose_data_is_hidden_tells_its_token_all_the_same) {
  scripted_port port;
  auto asked = inspect_with(port, {lock("a", 1), lock("b", 2)});
  port.answer(code::no_auth);
  EXPECT_EQ(port.asked(), "get exists");
  port.answer();
  answer_with(port, 72, "");
  ASSERT_EQ(names_in(*asked), (names{lock("a", 1), lock("b", 2)}));
  EXPECT_EQ(asked->queue[0].czxid, 72);
  EXPECT_EQ(asked->queue[0].told, recipes::contender_description{});
}

TEST(participants_query, of_a_node_whose_stat_is_hidden_too_tells_its_name) {
  scripted_port port;
  auto asked = inspect_with(port, {lock("a", 1)});
  port.answer(code::no_auth);
  port.answer(code::no_auth);
  ASSERT_EQ(names_in(*asked), names{lock("a", 1)});
  EXPECT_EQ(asked->queue[0].czxid, 0);
}

TEST(participants_query, of_a_long_queue_asks_for_a_few_at_a_time) {
  scripted_port port;
  names children;
  for (int number = 0; number < 1'000; ++number) {
    children.push_back(lock("x", number));
  }
  auto asked = inspect_with(port, children);
  std::size_t most = 0;
  std::size_t looks = 0;
  while (!port.requests.empty()) {
    most = std::max(most, port.requests.size());
    ++looks;
    port.answer();
  }
  EXPECT_EQ(most, 128U);
  EXPECT_EQ(looks, 1'000U);
  EXPECT_EQ(names_in(*asked), children);
}

TEST(participants_query, f101_moves_the_deadline_by_its_sync_alone) {
  scripted_port port;
  port.connect();
  auto held = port.acquire("/l");
  port.answer_all();
  EXPECT_EQ(held->hold->valid_until(), instant(103s));
  test_support::beat_twice(port);
  port.now = 101s + 400ms;
  port.acquire("/m");
  port.answer_all();
  EXPECT_EQ(held->hold->valid_until(), instant(103s + 500ms)) << "the write lets the beats count";
  port.now = 101s + 450ms;
  auto asked = query_participants(port);
  port.answer();
  EXPECT_EQ(held->hold->valid_until(), instant(103s + 500ms)) << "its sync: another one has to come behind it";
  port.answer_all();
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(held->hold->valid_until(), instant(104s)) << "reads prove nothing more";
  EXPECT_TRUE(held->hold->held_at(port.now));
}

}  // namespace
}  // namespace zklock::detail
