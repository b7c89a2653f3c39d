#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/unit/operations/on_a_port.hpp"

/// What an `exists` of the lock node says, and to whom: answer by answer.
namespace zklock::detail {
namespace {

namespace request = client::request;
using recipes::code;
using test_support::asked_lock;
using test_support::scripted_port;

constexpr std::int64_t lock_node = 1'500;  ///< its czxid
const std::string others = "/l/cccccccccccccccccccccccccccccccc-lock-000000000";

class a_watched_lock_node : public ::testing::Test {
 protected:
  void answer(const client::reply& with) {
    const auto asked = port_.requests.front();
    port_.requests.pop_front();
    port_.engine.on_reply(asked.generation, asked.id, with, port_.now);
  }
  void answer_create(int number, std::int64_t czxid) {
    client::reply made;
    made.name = port_.request<request::create>(0).path + "000000000" + std::to_string(number);
    made.stat.czxid = czxid;
    port_.others_create(made.name);
    answer(made);
  }
  void answer_with_children() {
    client::reply all;
    all.children = port_.nodes_under("/l");
    all.stat.czxid = lock_node;
    answer(all);
  }
  void answer_with_stat() {
    client::reply stat;
    stat.stat.czxid = lock_node;
    answer(stat);
  }
  void refuse(code with) {
    client::reply refused;
    refused.code = with;
    answer(refused);
  }
  std::shared_ptr<asked_lock> hold_alone() {
    port_.connect();
    const auto first = port_.acquire("/l");
    answer_create(0, 2'001);
    answer_with_children();
    EXPECT_TRUE(first->hold);
    return first;
  }
  void release(const std::shared_ptr<asked_lock>& held) {
    held->hold->end_by_release(port_.now);
    port_.release(held);
  }

  scripted_port port_;
};

/// The first one's create is refused for good: it ends while its question is under way. Its answer is older than the second one's
/// create, and the lock node is made anew between the two.
TEST_F(a_watched_lock_node, f230_is_not_known_by_the_answer_to_a_question_of_a_contender_that_has_ended) {
  release(hold_alone());
  port_.answer_all();
  const auto refused = port_.acquire("/l");
  ASSERT_EQ(port_.asked(), "create exists");
  refuse(code::no_auth);
  EXPECT_EQ(refused->answers, 1);
  const auto next = port_.acquire("/l");
  ASSERT_EQ(port_.asked(), "exists create exists");
  answer_with_stat();
  port_.others_create(others + "0");  // in the new one
  answer_create(1, 3'002);
  EXPECT_FALSE(next->hold) << "two holders";
  client::reply another;
  another.stat.czxid = 3'000;
  answer(another);
  EXPECT_FALSE(next->hold);
  EXPECT_EQ(port_.asked(), "list");
}

/// The removal finds no node, so that nothing is known of the last number; the next one is not alone.
TEST_F(a_watched_lock_node, is_one_of_those_that_are_counted_though_nothing_is_known_of_its_numbers) {
  const auto first = hold_alone();
  const std::string name = "/l/" + port_.nodes_under("/l").front();
  release(first);
  const auto next = port_.acquire("/l", {}, true);
  ASSERT_EQ(port_.asked(), "remove create exists");
  port_.others_remove(name);
  port_.others_create(others + "1");
  refuse(code::no_node);
  answer_create(2, 2'005);
  answer_with_stat();
  answer_with_children();
  port_.answer_all();
  EXPECT_EQ(next->answers, 1);
  EXPECT_EQ(port_.locks.contender_count(), 0U);
  EXPECT_EQ(port_.locks.watched_lock_nodes(), port_.engine.servers().watch_count());
}

}  // namespace
}  // namespace zklock::detail
