#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/operations/on_a_port.hpp"

/// Several contenders of one session at one lock: what they ask the servers, and when they are told.
namespace zklock::test_support {
namespace {

using namespace std::chrono_literals;
using recipes::code;
namespace request = client::request;

/// The oldest request, a create: made, with this number.
void answer_created(scripted_port& port, int number, std::int64_t czxid) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  client::reply answer;
  answer.name = port.request<request::create>(0).path + digits;
  answer.stat.czxid = czxid;
  port.others_create(answer.name);
  const auto asked = port.requests.front();
  port.requests.pop_front();
  port.engine.on_reply(asked.generation, asked.id, answer, port.now);
}

void release(scripted_port& port, const std::shared_ptr<asked_lock>& held) {
  held->hold->end_by_release(port.now);
  port.release(held);
}

TEST(session_queue_at_a_lock, f104_lets_a_waiter_in_whose_number_came_before_in_a_lock_node_that_was_removed) {
  scripted_port port;
  port.connect();
  const auto old = port.acquire("/l");
  answer_created(port, 1, 2001);
  port.answer_all();
  ASSERT_TRUE(old->hold);
  port.others_remove("/l/" +
                     port.nodes_under("/l").front());  // with the lock node: it counts from 0 when it is made anew
  const auto holder = port.acquire("/l");
  answer_created(port, 0, 3001);
  port.answer_all();
  ASSERT_TRUE(holder->hold) << "the old one's own watch comes after T/12";
  const auto waiter = port.acquire("/l");
  EXPECT_EQ(port.asked(), "create") << "without a list";
  answer_created(port, 1, 3002);
  port.answer_all();
  EXPECT_EQ(waiter->answers, 0);
  release(port, holder);
  port.answer_all();
  EXPECT_TRUE(waiter->hold);
}

TEST(session_queue_at_a_lock, f23_sends_no_list_that_is_older_than_the_node_it_is_for) {
  constexpr const char* writer = "/l/write-aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-0000000001";
  scripted_port port;
  port.others_create("/l");
  port.others_create(writer);
  port.connect();
  std::vector<std::shared_ptr<asked_lock>> readers;
  const auto read = [&] { readers.push_back(port.acquire_as({recipes::contender_kind::read}, "/l")); };
  read();
  read();
  EXPECT_EQ(port.asked(), "create list create list") << "the second one's list is behind its create";
  read();
  read();
  EXPECT_EQ(port.asked(), "create list create list create create") << "these share the next one";
  for (int answered = 0; answered < 4; ++answered) {
    port.answer();
  }
  EXPECT_EQ(port.asked(), "create create get get list get get") << "behind their creates";
  port.answer_all();
  for (const auto& one : readers) {
    EXPECT_EQ(one->answers, 0);
  }
  port.others_remove(writer);
  port.answer_all();
  for (const auto& one : readers) {
    EXPECT_TRUE(one->hold);
  }
}

}  // namespace
}  // namespace zklock::test_support
